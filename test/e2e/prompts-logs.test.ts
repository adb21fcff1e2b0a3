import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { allScopes, asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { completion } from '../plugins/cache/serving.ts';
import { chatTemplate, startPromptWorld } from '../plugins/prompts/run/world.ts';
import { embeddedSettings } from '../support/log-settings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { until } from './control/processes.ts';

noUnhandledRejections();

/** A world that writes its requests down, and reads them as a key of the workspace may. */
async function world(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-prompts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const started = await startPromptWorld(t, {
    env: { DATA_DIR: folder },
    config: { logs: embeddedSettings(folder) },
    // Requests are made by the clock of this machine.
    startAt: Date.now(),
  });
  const { c, ask, shop } = started;
  await ask('POST', '/v1/model-prices', {
    name: 'plain',
    provider: 'openai',
    model: 'gpt-4o',
    // Cents for each token.
    price: { request_token: 0.5, response_token: 2 },
  });
  const reader = {
    as: { workspaceId: shop.workspaceId, keyType: 'workspace-service' as const, scopes: [...allScopes] },
  };
  const hour = 3_600_000;
  const stretch = new URLSearchParams({
    time_of_generation_min: new Date(c.now() - hour).toISOString(),
    time_of_generation_max: new Date(c.now() + hour).toISOString(),
  });
  const read = (path: string) => c.ok('GET', path, reader);
  return {
    ...started,
    read,
    groups: async (path: string) => asObjects((await read(`${path}?${stretch}&columns=cost,success_rate`)).data),
    /** The requests that the query means, newest first, once so many are written. */
    logged: (query: string, count: number) =>
      until(`${count} logs of "${query}"`, 20_000, async () => {
        const { data, total } = await read(`/v1/logs?${query}`);
        if (Number(total) < count) return undefined;
        assert.equal(total, count, query);
        return asObjects(data);
      }),
  };
}

const metricsOf = (log: JsonObject | undefined): JsonObject => asObject(log?.metrics) ?? log ?? {};

describe('the log of requests', () => {
  it('has which prompt and which version was run, and what it cost', async (t) => {
    const { prompt, draft, complete, chat, key, shop, peer, logged, read } = await world(t);
    peer.always({ body: completion('Hej') });
    const [one, other] = [await prompt(), await prompt()];
    await draft(String(one.id), { string: chatTemplate.replace('Greet', 'Hail') });
    assert.equal((await complete(String(one.slug))).status, 200);
    assert.equal((await complete(`${one.id}@latest`)).status, 200);
    assert.equal((await complete(String(other.slug))).status, 200);
    assert.equal((await chat(key, { 'x-gw-virtual-key': shop.provider })).status, 200);
    assert.equal((await complete('pp-nothing')).status, 404);
    await logged('', 5);

    const ofOne = await logged(`prompt_slug=${one.slug}`, 2);
    const details = await Promise.all(ofOne.map(({ id }) => read(`/v1/logs/${id}`)));
    const rows = details.map(metricsOf).toSorted((a, b) => Number(a.prompt_version) - Number(b.prompt_version));
    assert.deepEqual(
      rows.map(({ prompt_id, prompt_slug, prompt_version }) => [prompt_id, prompt_slug, prompt_version]),
      [
        [one.id, one.slug, 1],
        [one.id, one.slug, 2],
      ],
    );
    for (const row of rows) {
      assert.deepEqual([row.endpoint, row.virtual_key, row.ai_org], ['chatComplete', shop.provider, 'openai']);
      assert.match(String(row.requested_model), /gpt-4o$/);
      assert.deepEqual([row.req_units, row.res_units, row.cost], [3, 2, 5.5]);
    }
    const asked = details.map(({ request }) => JSON.stringify(asObject(asObject(request)?.body)?.messages));
    assert.ok(
      asked.some((text) => text.includes('Greet Ada')) && asked.some((text) => text.includes('Hail Ada')),
      String(asked),
    );

    assert.equal((await logged(`prompt_slug=${one.slug},${other.slug}`, 3)).length, 3);
    const [row] = await logged('status_code=404', 1);
    assert.equal(metricsOf(row).prompt_slug ?? null, null);
  });

  it('counts prompts as groups', async (t) => {
    const { prompt, complete, chat, key, shop, peer, logged, groups } = await world(t);
    peer.always({ body: completion('Hej') });
    const [one, other] = [await prompt(), await prompt()];
    for (const { slug } of [one, one, other]) assert.equal((await complete(String(slug))).status, 200);
    await chat(key, { 'x-gw-virtual-key': shop.provider });
    await logged('', 4);
    for (const path of ['/v1/analytics/groups/prompt', '/v1/logs/groups/prompt']) {
      const counted = new Map((await groups(path)).map((group) => [group.prompt ?? null, group]));
      assert.deepEqual(
        [one.slug, other.slug, null].map((slug) => counted.get(slug ?? null)?.requests),
        [2, 1, 1],
        JSON.stringify([...counted.values()]),
      );
      assert.equal(counted.get(one.slug ?? null)?.cost, 11);
    }
  });

  it('names the prompt of a stream, of a denial and of a fallback', async (t) => {
    const { prompt, complete, chat, key, ask, shop, peer, logged } = await world(t);
    const { slug } = await prompt();
    assert.equal((await complete(String(slug), { stream: true })).status, 200);
    const { slug: denying } = await ask('POST', '/v1/configs', {
      name: 'Denies',
      workspace_id: shop.workspaceId,
      config: { input_guardrails: [{ 'default.contains': { operator: 'none', words: ['Greet'] }, deny: true }] },
    });
    assert.equal((await complete(String(slug), {}, { 'x-gw-config': String(denying) })).status, 446);
    const { slug: falling } = await ask('POST', '/v1/configs', {
      name: 'Falls back to it',
      workspace_id: shop.workspaceId,
      config: { strategy: { mode: 'fallback' }, targets: [{ virtual_key: shop.provider }, { prompt_id: slug ?? '' }] },
    });
    const fallsBack = { 'x-gw-config': String(falling) };
    peer.next({ status: 503, body: { error: { message: 'away' } } });
    const body = { variables: { language: 'Danish', name: 'Ada' } };
    assert.equal((await chat(key, fallsBack, body)).status, 200);
    assert.equal((await chat(key, fallsBack, body)).status, 200);
    await logged('', 4);
    const rows = (await logged(`prompt_slug=${slug}`, 3)).map(metricsOf);
    assert.deepEqual(rows.map(({ response_status_code: status }) => status).toSorted(), [200, 200, 446]);
  });
});
