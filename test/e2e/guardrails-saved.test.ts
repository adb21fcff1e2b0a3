import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { errorOf, guardrailUnits, resultsOf, says } from '../plugins/guardrails/guarded.ts';
import { type ControlOptions, startControl } from '../support/control.ts';
import type { Reply } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const words = (word: string, actions: JsonObject = { deny: true }): JsonObject => ({
  name: `Without ${word}`,
  checks: [{ id: 'default.contains', parameters: { operator: 'none', words: [word] } }],
  actions,
});

/** A control plane with a workspace, a key of it, and the units of the tests. */
async function started(t: TestContext, more: ControlOptions = {}) {
  const control = await startControl(t, {
    ...more,
    config: { pluginFolders: [{ path: guardrailUnits, trust: 'trusted', requireSignature: false }] },
  });
  const workspace = async (name: string) => {
    const { id } = await control.ok('POST', '/v1/workspaces', { body: { name } });
    const made = await control.ok('POST', '/v1/api-keys/workspace/service', {
      body: { name: 'Key', workspace_id: String(id), scopes: ['completions.write'] },
    });
    return { id: String(id), key: String(made.key) };
  };
  const make = async (body: JsonObject) => control.ok('POST', '/v1/guardrails', { body });
  const ask = async (key: string, config: JsonObject, content = 'x'): Promise<Reply> =>
    control.call('POST', '/v1/chat/completions', {
      key,
      body: says(content),
      headers: { 'x-gw-config': JSON.stringify({ provider: 'echo', ...config }) },
    });
  return { control, workspace, make, ask };
}

describe('a guardrail of the control plane', () => {
  it('runs by slug and by id where its workspace names it, and says which version of it ran', async (t) => {
    const { workspace, make, ask } = await started(t);
    const { id, key } = await workspace('One');
    const saved = await make({ ...words('bad'), workspace_id: id });
    for (const name of [String(saved.slug), String(saved.id)]) {
      const denied = await ask(key, { input_guardrails: [name] }, 'bad');
      assert.deepEqual([denied.status, resultsOf(denied)[0]?.id], [446, saved.slug], denied.text);
      assert.equal((await ask(key, { output_guardrails: [name] }, 'good')).status, 200);
    }
  });

  it('is not found from another workspace', async (t) => {
    const { workspace, make, ask } = await started(t);
    const [one, two] = [await workspace('One'), await workspace('Two')];
    const saved = await make({ ...words('bad'), workspace_id: one.id });
    const reply = await ask(two.key, { input_guardrails: [String(saved.id)] });
    assert.deepEqual([reply.status, errorOf(reply).code], [400, 'invalid_config'], reply.text);
  });

  it('runs on every request of the workspace whose default it is, as it stands now', async (t) => {
    const { control, workspace, make, ask } = await started(t);
    const { id, key } = await workspace('One');
    const saved = await make({ ...words('bad'), workspace_id: id });
    const defaults = { input_guardrails: [String(saved.slug)] };
    await control.ok('PUT', `/v1/workspaces/${id}`, { body: { defaults } });
    assert.deepEqual([(await ask(key, {}, 'bad')).status, (await ask(key, {}, 'good')).status], [446, 200]);
    await control.ok('PUT', `/v1/guardrails/${String(saved.id)}`, { body: { checks: words('good').checks ?? [] } });
    assert.deepEqual([(await ask(key, {}, 'bad')).status, (await ask(key, {}, 'good')).status], [200, 446]);
  });

  it('that is gone is refused, and not skipped', async (t) => {
    const { control, workspace, make, ask } = await started(t);
    const { id, key } = await workspace('One');
    const saved = await make({ ...words('bad'), workspace_id: id });
    const lists = { output_guardrails: [String(saved.slug)] };
    assert.equal((await ask(key, lists)).status, 200);
    await control.ok('DELETE', `/v1/guardrails/${String(saved.id)}`);
    const reply = await ask(key, lists);
    assert.deepEqual([reply.status, errorOf(reply).param], [400, 'output_guardrails[0]'], reply.text);
  });

  it('is refused with the place of its fault', async (t) => {
    const { control, workspace } = await started(t);
    const { id } = await workspace('One');
    for (const [body, param] of [
      [{ checks: [{ id: 'default.containz' }] }, 'checks[0].id'],
      [{ checks: [{ id: 'default.contains', parameters: { words: 'x' } }] }, 'checks[0].parameters.words'],
      [{ actions: { deny: true, async: true } }, 'actions.async'],
    ] as const) {
      const reply = await control.call('POST', '/v1/guardrails', {
        body: { ...words('x'), ...body, workspace_id: id },
      });
      assert.deepEqual([reply.status, errorOf(reply).param], [400, param], reply.text);
    }
  });

  it('may hold code, which a request may not', async (t) => {
    const { workspace, make, ask } = await started(t);
    const { id, key } = await workspace('One');
    const code = "export default ({ text }) => ({ pass: !text.includes('bad') })";
    const checks = [{ id: 'custom.code', parameters: { code } }];
    const saved = await make({ name: 'Code', checks, actions: { deny: true }, workspace_id: id });
    assert.equal((await ask(key, { input_guardrails: [String(saved.slug)] }, 'bad')).status, 446);
    const inline = await ask(key, { input_guardrails: [{ 'custom.code': { code }, deny: true }] }, 'bad');
    assert.deepEqual([inline.status, errorOf(inline).code], [400, 'invalid_config']);
  });

  it('uses the credentials that the organisation has stored, and shows them nowhere', async (t) => {
    const canary = 'canary-of-the-organisation';
    const peer = await startPeer(t);
    peer.always({ status: 500, body: { error: 'no' } });
    const { control, workspace, make, ask } = await started(t);
    const { id, key } = await workspace('One');
    await control.ok('PUT', '/v1/plugins/test-vendor', { body: { credentials: { apiKey: canary } } });
    const checks = [{ id: 'test-vendor.scan', parameters: { url: `${peer.origin}/scan` } }];
    const saved = await make({ name: 'Vendor', checks, actions: { deny: true }, workspace_id: id });
    const reply = await ask(key, { input_guardrails: [String(saved.slug)] });
    assert.deepEqual([reply.status, peer.requests[0]?.headers['x-vendor-key']], [446, canary], reply.text);
    const shown = await control.ok('GET', `/v1/guardrails/${String(saved.id)}`);
    const listed = await control.ok('GET', '/v1/plugins/test-vendor');
    for (const text of [reply.text, JSON.stringify(shown), JSON.stringify(listed), JSON.stringify(control.log)])
      assert.equal(text.includes(canary), false);
    assert.equal(asObject(listed)?.configured, true);
  });
});
