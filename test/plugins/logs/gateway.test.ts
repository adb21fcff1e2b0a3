import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from 'portcullis/sdk';
import { recordedStream } from '../../support/recordings.ts';
import { target } from '../../support/routed.ts';
import { served } from './served.ts';

type Given = Readonly<Record<string, unknown>>;

const messages = [{ role: 'user' as const, content: 'the quokka' }];
const given = async (call: PromiseLike<unknown>) => (await call) as Given;

it('logs what a client says and hears, and hides its credentials', async (t) => {
  const { client, written, workspaceId } = await served(t);
  await client.chat.completions.create(
    { model: 'gpt-4o', messages },
    { traceID: 'trace-7', metadata: { _user: 'ann', team: 'red' } },
  );
  const [log = {}] = await written(1);
  const metrics = log.metrics as JsonObject;
  assert.equal(log.workspace_id, workspaceId);
  assert.deepEqual([metrics.response_status_code, metrics.trace_id, metrics.ai_org], [200, 'trace-7', 'openai']);
  assert.deepEqual(
    [metrics['metadata.key'], metrics['metadata.value']],
    [
      ['_user', 'team'],
      ['ann', 'red'],
    ],
  );
  assert.deepEqual([metrics.endpoint, metrics.source], ['chatComplete', 'gateway']);
  assert.ok(Number(metrics.req_units) > 0 && Number(metrics.res_units) > 0);
  const request = log.request as JsonObject;
  assert.deepEqual((request.body as JsonObject).messages, messages);
  const headers = request.headers as Record<string, string>;
  assert.equal(headers['x-portkey-api-key'], '*****');
  assert.equal(headers['x-portkey-config'], '*****', 'a config can hold keys');
  assert.ok(Array.isArray(((log.response as JsonObject).body as JsonObject).choices));
});

it('hides the credentials of a body that is no JSON, too', async (t) => {
  const { control, key, peer, written } = await served(t);
  const reply = await fetch(`${control.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gw-api-key': key,
      'x-gw-config': JSON.stringify(target(peer)),
    },
    body: '{"model":"gpt-4o","tools":[{"type":"mcp","authorization":"Bearer secret-tool"}],}',
  });
  assert.equal(reply.status, 400);
  const [log = {}] = await written(1);
  assert.match(String((log.request as JsonObject).body), /^\{"model":"gpt-4o".*"authorization":"\*+"\}\],\}$/);
});

it('keeps what a client calls a span, so that spans which name it as their parent find it', async (t) => {
  const { client, written } = await served(t);
  const steps: readonly (readonly [string, string | undefined])[] = [
    ['step one', undefined],
    ['B7AD6B7169203331', 'step one'],
  ];
  for (const [spanID, parentSpanID] of steps)
    await client.chat.completions.create({ model: 'gpt-4o', messages }, { traceID: 'tree', spanID, parentSpanID });
  const shown = (await written(2)).map(({ metrics }) => metrics as JsonObject);
  assert.deepEqual(
    shown.map(({ span_id, parent_span_id }) => [span_id, parent_span_id]).reverse(),
    // An id of the standard is written as the standard has it.
    [
      ['step one', null],
      ['b7ad6b7169203331', 'step one'],
    ],
  );
});

it('logs a stream as it went over the wire, and nothing of what was said where the request is against it', async (t) => {
  const { client, written } = await served(t);
  const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true });
  for await (const _ of stream);
  const [streamed = {}] = await written(1);
  assert.equal((streamed.metrics as JsonObject).stream_mode, true);
  assert.match(String((streamed.response as JsonObject).body), /^data: /);
  await client.chat.completions.create({ model: 'gpt-4o', messages }, { debug: false });
  const silent = (await written(2)).find(({ metrics }) => (metrics as JsonObject).stream_mode === false);
  assert.deepEqual(Object.keys(silent?.request as JsonObject), ['url', 'method']);
});

it('keeps nothing of what a check asks a model about such a request either', async (t) => {
  const { control, client, peer, written, workspaceId } = await served(t);
  await control.ok('POST', '/v1/integrations', {
    body: {
      name: 'Judge',
      ai_provider_id: 'openai',
      key: 'k',
      workspace_id: workspaceId,
      configurations: { custom_host: `${peer.origin}/v1` },
      default_provider_slug: 'judge',
    },
  });
  const config = target(peer, { input_guardrails: [{ 'model.gibberish': { model: '@judge/gpt-4o' } }] });
  for (const debug of [true, false])
    await client.chat.completions.create({ model: 'gpt-4o', messages }, { config, debug });
  const logs = await written(4);
  const told = logs.filter((log) => JSON.stringify(log).includes('quokka'));
  assert.deepEqual(
    [logs.map(({ log_format }) => log_format), told.length],
    [['metrics', 'metrics', 'full', 'full'], 2],
  );
});

it('serves logs, feedback, exports and analytics to the unmodified client', async (t) => {
  const { client, written, stretch, control } = await served(t);
  await client.chat.completions.create(
    { model: 'gpt-4o', messages },
    { traceID: 'trace-1', metadata: { _user: 'ann' } },
  );
  await given(
    client.logs.create({
      request: {
        url: 'https://api.example.com/v1/chat/completions',
        method: 'POST',
        headers: {},
        body: { model: 'gpt-4o' },
      },
      response: { status: 500, headers: {}, body: { error: {} }, response_time: 5 },
      metadata: { trace_id: 'trace-2' },
    }),
  );
  await written(2);
  const one = await given(client.feedback.create({ traceID: 'trace-1', value: 5 }));
  assert.equal(one.status, 'success');
  await given(client.feedback.create([{ traceID: 'trace-1', value: 1, weight: 0.5 }]));
  while (((await given(client.analytics.graphs.feedbacks(stretch()))).summary as JsonObject).total !== 2)
    await sleep(20);
  const [feedbackID] = one.feedback_ids as string[];
  await given(client.feedback.update({ feedbackID: String(feedbackID), value: 7 }));

  const { graphs, groups, summary } = client.analytics;
  const query = stretch();
  for (const [call, expected] of [
    [() => graphs.requests(query), { total: 2 }],
    [() => graphs.users(query), { total: 1 }],
    // Of the two, one names a user.
    [() => graphs.usersRequests(query), { total: 1, unique: 1, avg: 1 }],
    [() => graphs.errors(query), { total: 1 }],
    [() => graphs.errors_rate(query), { rate: 50 }],
    [() => graphs.errors_stack(query), { total: 1 }],
    [() => graphs.errors_status_code(query), { total_errors: 1, unique_error_codes: 1 }],
    [() => graphs.requests_rescued(query), { retry: 0, fallback: 0 }],
    [() => graphs.cache_hit_rate(query), { total: 0, rate: 0 }],
    [() => graphs.cache_latency(query), {}],
    [() => graphs.feedbacks(query), { total: 2 }],
    [() => graphs.feedbacks_score(query), { total: 2 }],
    [() => graphs.feedbacks_weighted(query), { avg: 5 }],
    [() => graphs.feedback_ai_models(query), {}],
    [() => summary.cache(query), { hits: 0, cache_speedup: 0 }],
  ] as const) {
    const shown = (await given(call())).summary as JsonObject;
    for (const [name, value] of Object.entries(expected))
      assert.equal(shown[name], value, `${name} of ${JSON.stringify(shown)}`);
  }
  for (const call of [() => graphs.cost(query), () => graphs.latency(query), () => graphs.tokens(query)])
    assert.ok(Array.isArray((await given(call())).data_points));

  const page = { ...query, page_size: 10, current_page: 0 };
  const first = async (call: PromiseLike<unknown>) =>
    ((await given(call)).data as JsonObject[]).map(({ object: _, ...row }) => row);
  const users = await first(groups.users(page));
  assert.deepEqual(new Set(users.map(({ user }) => user)), new Set(['ann', null]));
  assert.deepEqual((await first(groups.aiModels(page)))[0]?.ai_model, 'gpt-4o');
  assert.equal((await first(groups.metadata('_user', page))).length, 2);
  assert.match(String((await first(groups.workspaces(page)))[0]?.workspace), /^ws-/);
  const grouped = await given(
    client.analytics.groups.groupedData('status_code', {
      ...page,
      columns: 'requests,error_count',
      include_total: true,
    }),
  );
  assert.equal(grouped.total, 2);

  const made = await given(client.logs.exports.create({ filters: {}, requestedData: ['id', 'ai_model'] }));
  assert.equal(made.total, 2);
  const exportId = String(made.id);
  await given(
    client.logs.exports.update({ exportId, filters: {}, requestedData: ['ai_model', 'response_status_code'] }),
  );
  await given(client.logs.exports.start({ exportId }));
  while ((await given(client.logs.exports.retrieve({ exportId }))).status === 'in_progress') await sleep(10);
  const { signed_url: signed } = await given(client.logs.exports.download({ exportId }));
  const url = new URL(String(signed));
  const lines = (await (await fetch(control.url + url.pathname + url.search)).text()).trim().split('\n');
  assert.deepEqual(lines.map((line) => (JSON.parse(line) as JsonObject).response_status_code).sort(), [200, 500]);
  assert.equal(((await given(client.logs.exports.list({}))).data as JsonObject[]).length, 1);
});

it('counts a stream that broke off as failed, in its log and in every graph alike', async (t) => {
  const { client, peer, written, stretch } = await served(t);
  const ask = async () => {
    const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true });
    for await (const _ of stream);
  };
  await ask();
  peer.always({ events: recordedStream('chat', 'text').slice(0, 3), ending: 'cut' });
  await ask().catch(() => {});
  const [broken, whole] = (await written(2)).map(({ metrics, response }) => {
    const { is_success, error, response_status_code } = metrics as JsonObject;
    return [is_success, error, response_status_code, (response as JsonObject).status];
  });
  assert.deepEqual(whole, [true, null, 200, 200]);
  assert.deepEqual(broken, [false, 'upstream_unreachable', 502, 502]);
  const { graphs } = client.analytics;
  const query = stretch();
  for (const [call, expected] of [
    [() => graphs.errors(query), { total: 1 }],
    [() => graphs.errors_rate(query), { rate: 50 }],
    [() => graphs.errors_stack(query), { total: 1 }],
    [() => graphs.errors_status_code(query), { total_errors: 1, unique_error_codes: 1 }],
  ] as const)
    assert.deepEqual((await given(call())).summary, expected);
});

it('hides the credentials that stand in bodies and metadata, and sends them to the provider', async (t) => {
  const { control, peer, key, written } = await served(t);
  const authorization = 'mcp-credential-1';
  const tools = [
    {
      type: 'mcp',
      server_label: 'l',
      server_url: 'https://a.example',
      authorization,
      headers: { a: 'mcp-credential-2' },
    },
  ];
  const echoed = (request: JsonObject) =>
    JSON.stringify({ object: 'response', tools: request.tools, output: [], status: 'completed' });
  for (const path of ['/v1/responses', '/v1/proxy/responses']) {
    peer.next({ body: echoed({ tools }), headers: { 'content-type': 'application/json' } });
    const reply = await fetch(control.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': key,
        'x-gw-config': JSON.stringify(target(peer)),
        'x-gw-metadata': JSON.stringify({ api_key: 'mcp-credential-3' }),
      },
      body: JSON.stringify({ model: 'gpt-4o', input: 'the quokka', tools }),
    });
    assert.match(await reply.text(), /mcp-credential-1/);
    assert.deepEqual(peer.requests.at(-1)?.body.tools, tools);
  }
  const logs = JSON.stringify(await written(2));
  assert.match(logs, /the quokka/);
  assert.match(logs, /\*\*\*\*\*/);
  assert.doesNotMatch(logs, /mcp-credential/);
});
