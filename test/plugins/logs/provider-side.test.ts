import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { claude, target } from '../../support/routed.ts';
import { served } from './served.ts';

const messages = [{ role: 'user', content: 'the quokka' }];

/** A gateway whose workspace calls its peer as `@prod` too. */
async function world(t: TestContext) {
  const of = await served(t);
  const { control, peer, workspaceId, key, written } = of;
  const { id } = await control.ok('POST', '/v1/integrations', {
    body: { name: 'prod', ai_provider_id: 'openai', key: 'sk-x', configurations: { custom_host: `${peer.origin}/v1` } },
  });
  await control.ok('PUT', `/v1/integrations/${id}/workspaces`, {
    body: { workspaces: [{ id: workspaceId, enabled: true, default_provider_slug: 'prod' }] },
  });
  let requests = 0;
  return {
    ...of,
    /** The log of a request, the body that its provider got, and the text that came back. */
    ask: async (body: JsonObject, config?: JsonObject | string, path = '/v1/chat/completions') => {
      const text = typeof config === 'string' ? config : JSON.stringify(config);
      const headers = config === undefined ? {} : { 'x-gw-config': text };
      const reply = await control.call('POST', path, { key, headers, body });
      requests += 1;
      const [log = {}] = await written(requests);
      return { log, metrics: log.metrics as JsonObject, sent: peer.requests.at(-1)?.body, reply };
    },
  };
}

const sides = ({ finalUntransformedRequest, transformedRequest, originalResponse }: JsonObject) => [
  finalUntransformedRequest,
  transformedRequest,
  originalResponse,
];

it('shows what a provider got and gave where nothing was changed on the way', async (t) => {
  const { ask, peer } = await world(t);
  const body = { model: 'gpt-4o', messages };
  const { log, reply } = await ask(body, target(peer));
  assert.deepEqual(sides(log), [{ body }, { body }, { body: reply.json }]);
});

it('shows the model as it was sent', async (t) => {
  const { ask } = await world(t);
  const body = { model: '@prod/gpt-4o', messages };
  const { log, sent, reply } = await ask(body);
  assert.equal(sent?.model, 'gpt-4o');
  assert.deepEqual(sides(log), [{ body }, { body: sent }, { body: reply.json }]);
});

it('shows the question for the token counts of a stream, and no stream that its answer is missing from', async (t) => {
  const { ask, peer } = await world(t);
  const body = { model: 'gpt-4o', messages, stream: true };
  const plain = await ask(body, target(peer));
  assert.deepEqual(plain.sent, { ...body, stream_options: { include_usage: true } });
  assert.deepEqual(sides(plain.log), [{ body }, { body: plain.sent }, null]);
  const named = { ...body, model: '@prod/gpt-4o' };
  const both = await ask(named);
  assert.deepEqual(sides(both.log), [{ body: named }, { body: both.sent }, null]);
  const asking = { ...body, stream_options: { include_usage: true } };
  const whole = await ask(asking, target(peer));
  assert.deepEqual(sides(whole.log), [{ body: asking }, { body: asking }, { body: whole.reply.text }]);
});

it('shows no stream as the provider’s to which the gateway has added an end', async (t) => {
  const { ask, peer } = await world(t);
  const body = { model: 'gpt-4o', messages, stream: true, stream_options: { include_usage: true } };
  peer.next({ upTo: 1, ending: 'cut' });
  const { log } = await ask(body, target(peer));
  assert.deepEqual(sides(log), [{ body }, { body }, null]);
});

it('shows what a host was asked that refuses the question for token counts', async (t) => {
  const { ask, peer } = await world(t);
  const body = { model: 'gpt-4o', messages, stream: true };
  peer.next({
    status: 400,
    body: { error: { message: 'Unknown parameter: stream_options.', param: 'stream_options' } },
  });
  const { log, sent } = await ask(body, target(peer));
  assert.deepEqual(sent, body);
  assert.deepEqual(sides(log), [{ body }, { body }, null]);
});

it('shows null where the log has only the client’s side', async (t) => {
  const { ask, peer } = await world(t);
  const body = { model: 'gpt-4o', messages, max_tokens: 5 };
  const changed = await ask(body, target(peer, { override_params: { temperature: 0.5 } }));
  assert.equal(changed.sent?.temperature, 0.5);
  assert.deepEqual(sides(changed.log), [null, null, { body: changed.reply.json }]);
  const translated = await ask({ ...body, model: 'claude' }, claude(peer));
  assert.deepEqual(sides(translated.log), [{ body: { ...body, model: 'claude' } }, null, null]);
  const cached = { ...target(peer), cache: { mode: 'simple' } };
  await ask(body, cached);
  const hit = await ask(body, cached);
  assert.equal(hit.metrics.cache_status, 'HIT');
  assert.deepEqual(sides(hit.log), [null, null, null]);
  peer.next({ status: 500, body: { error: { message: 'no' } } });
  const failed = await ask(body, target(peer));
  assert.equal(failed.metrics.response_status_code, 500);
  assert.deepEqual(sides(failed.log), [{ body }, { body }, null]);
});

it('tells of the target that was tried last', async (t) => {
  const { ask, peer } = await world(t);
  const body = { model: 'gpt-4o', messages };
  peer.next({ status: 500, body: { error: { message: 'no' } } });
  const targets = [target(peer), target(peer, { override_params: { temperature: 1 } })];
  const { log, metrics } = await ask(body, { strategy: { mode: 'fallback' }, targets });
  assert.equal(metrics.mode, 'fallback');
  assert.deepEqual(sides(log).slice(0, 2), [null, null]);

  const cached = target(peer, { cache: { mode: 'simple' } });
  await ask(body, cached);
  peer.next({ status: 500, body: { error: { message: 'no' } } });
  const hit = await ask(body, { strategy: { mode: 'fallback' }, targets: [target(peer), cached] });
  assert.equal(hit.metrics.cache_status, 'HIT');
  assert.deepEqual(sides(hit.log), [null, null, null]);
});

it('shows null where nothing of what was said is kept', async (t) => {
  const { control, key, peer, written } = await world(t);
  const headers = { 'x-gw-debug': 'false', 'x-gw-config': JSON.stringify(target(peer)) };
  await control.call('POST', '/v1/chat/completions', { key, headers, body: { model: 'gpt-4o', messages } });
  const [log = {}] = await written(1);
  assert.deepEqual(sides(log), [null, null, null]);
});

it('names the versions of the config and the prompt that served', async (t) => {
  const { ask, control, workspaceId, peer } = await world(t);
  const config = await control.ok('POST', '/v1/configs', {
    body: { name: 'main', workspace_id: workspaceId, config: { virtual_key: 'prod' } },
  });
  const body = { model: 'gpt-4o', messages };
  const first = await ask(body, String(config.slug));
  assert.deepEqual([first.metrics.config_id, first.metrics.config_version_id], [config.id, config.version_id]);
  const changed = await control.ok('PUT', `/v1/configs/${config.slug}`, {
    body: { config: { virtual_key: 'prod', retry: { attempts: 1 } } },
  });
  assert.notEqual(changed.version_id, config.version_id);
  assert.equal((await ask(body, String(config.slug))).metrics.config_version_id, changed.version_id);

  const prompt = await control.ok('POST', '/v1/prompts', {
    body: {
      name: 'Greeting',
      workspace_id: workspaceId,
      string: JSON.stringify([{ role: 'user', content: 'Greet {{name}}.' }]),
      parameters: {},
      virtual_key: 'prod',
      model: 'gpt-4o',
    },
  });
  const run = await ask({ variables: { name: 'Ada' } }, undefined, `/v1/prompts/${prompt.slug}/completions`);
  assert.deepEqual([run.metrics.prompt_id, run.metrics.prompt_version_id], [prompt.id, prompt.version_id]);
  assert.deepEqual(run.log.transformedRequest, { body: run.sent });

  const plain = await ask(body, target(peer));
  const { config_version_id, prompt_version_id, response_parsing_time } = plain.metrics;
  assert.deepEqual([config_version_id, prompt_version_id, response_parsing_time], [null, null, null]);
});
