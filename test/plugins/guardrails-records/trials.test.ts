import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { contains, inEachPlace, inWorkspace } from './place.ts';

const sample = (text: string): JsonObject => ({ phase: 'beforeRequest', text });

inEachPlace('trials', (place) => {
  it('tell the verdict of a saved guardrail on a sample', async () => {
    const { control, make } = place();
    const { slug } = await make();
    const run = async (text: string) =>
      (await control.ok('POST', `/v1/guardrails/${slug}/test`, { body: sample(text) })).verdict;
    assert.deepEqual([await run('a swan'), await run('a crane')], [true, false]);
  });

  it('tell the verdict of one that is not saved, and save nothing', async () => {
    const { control, workspace } = place();
    const listed = async () => (await control.ok('GET', '/v1/guardrails')).total;
    const before = await listed();
    const body = {
      checks: [contains('crane')],
      actions: { deny: true },
      workspace_id: workspace,
      ...sample('a crane'),
    };
    assert.equal((await control.ok('POST', '/v1/guardrails/test', { body })).verdict, true);
    assert.equal(await listed(), before);
  });

  it('run with the credentials that are stored, or the guardrail’s own', async () => {
    const { control, make } = place();
    await control.ok('PUT', '/v1/plugins/test-vendor', { body: { credentials: { apiKey: 'stored' } } });
    for (const [parameters, expected] of [
      [{}, 'stored'],
      [{ credentials: { apiKey: 'own' } }, 'own'],
    ] as const) {
      const { id } = await make({ checks: [{ id: 'test-vendor.scan', parameters }] });
      const reply = await control.ok('POST', `/v1/guardrails/${id}/test`, { body: sample('x') });
      assert.match(JSON.stringify(reply), new RegExp(`"apiKey":"${expected}"`));
    }
  });

  it('refuse a definition at fault, and a sample that is none', async () => {
    const { make, refused } = place();
    const { id } = await make();
    const post = (body: JsonObject) => refused('POST', '/v1/guardrails/test', { body });
    assert.deepEqual(await post({ checks: [contains()], ...sample('x') }), [400, 'checks[0].parameters.words']);
    assert.deepEqual(await post({ checks: [contains('a')], text: 'x' }), [400, 'phase']);
    const run = (body: JsonObject) => refused('POST', `/v1/guardrails/${id}/test`, { body });
    assert.deepEqual(await run({ phase: 'later' }), [400, 'phase']);
    assert.deepEqual(await run({ ...sample('x'), endpoint: 'listModels' }), [400, 'endpoint']);
  });

  it('need more than the right to send requests', async () => {
    const { control, workspace, make } = place();
    const [own, shared] = [await make(), await make({}, null)];
    const status = async (path: string, body: JsonObject, scope: string) =>
      (await control.call('POST', `/v1/guardrails/${path}`, { body, as: inWorkspace(workspace, [scope]) })).status;
    for (const { id } of [own, shared]) {
      for (const scope of ['completions.write', 'guardrails.read', 'guardrails.list', 'guardrails.delete'])
        assert.equal(await status(`${id}/test`, sample('x'), scope), 403, scope);
      for (const scope of ['guardrails.invoke', 'guardrails.create', 'guardrails.update'])
        assert.equal(await status(`${id}/test`, sample('x'), scope), 200, scope);
    }
    const unsaved = { checks: [contains('a')], ...sample('x') };
    for (const scope of ['completions.write', 'guardrails.invoke', 'guardrails.update'])
      assert.equal(await status('test', unsaved, scope), 403, scope);
    assert.equal(await status('test', unsaved, 'guardrails.create'), 200);
  });

  it('of the organisation’s own need a right in the organisation where no workspace is named', async () => {
    const { control, make } = place();
    const { id } = await make({}, null);
    const status = async (path: string, body: JsonObject, scope: string) =>
      (await control.call('POST', `/v1/guardrails/${path}`, { body, as: { scopes: [scope] } })).status;
    assert.equal(await status(`${id}/test`, sample('x'), 'guardrails.invoke'), 403);
    assert.equal(await status(`${id}/test`, sample('x'), 'organisation_guardrails.update'), 200);
    const unsaved = { checks: [contains('a')], ...sample('x') };
    assert.equal(await status('test', unsaved, 'guardrails.create'), 403);
    assert.equal(await status('test', unsaved, 'organisation_guardrails.create'), 200);
  });

  it('leave no trace of what was sent in the audit log', async () => {
    const { control, make } = place();
    const { id } = await make();
    await control.ok('POST', `/v1/guardrails/${id}/test`, { body: sample('what people say') });
    const { text } = await control.call('GET', '/v1/audit-logs?page_size=100');
    assert.ok(text.includes(id));
    assert.ok(!text.includes('what people say'));
  });
});
