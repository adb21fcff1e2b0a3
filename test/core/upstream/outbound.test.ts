import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EndpointSpec, JsonObject, Provider } from 'portcullis/sdk';
import type { Leaf } from '../../../core/routing/plan.ts';
import { buildOutbound } from '../../../core/upstream/outbound.ts';
import type { WireBody } from '../../../core/upstream/transport.ts';
import bedrock from '../../../providers/bedrock/index.ts';
import cohere from '../../../providers/cohere/index.ts';
import fireworks from '../../../providers/fireworks-ai/index.ts';
import google from '../../../providers/google/index.ts';
import vertex from '../../../providers/vertex-ai/index.ts';
import { type ExchangeFacts, exchangeOf, leafOf } from '../../support/exchange.ts';
import { chatAt, unitOf } from './unit.ts';

interface Facts {
  readonly exchange?: ExchangeFacts;
  readonly definition?: Partial<Provider>;
  readonly leaf?: Partial<Leaf>;
  readonly body?: (body: JsonObject) => JsonObject;
  readonly base?: string;
  readonly askUsage?: boolean;
}

const base = 'https://alpha.example/v1';

/** As the pipeline hands it over: what stood before it has chosen the provider. */
function modelIn({ model }: JsonObject): string {
  return typeof model === 'string' ? model.replace(/^@[^/]+\//, '') : '';
}

function built({ exchange: facts, definition, leaf, body, base: at = base, askUsage = true }: Facts = {}) {
  const exchange = exchangeOf(facts);
  const given = body === undefined ? exchange.body : body(exchange.body);
  return buildOutbound({
    request: exchange,
    leaf: leafOf(leaf),
    unit: unitOf(definition),
    settings: { settings: { apiKey: 'k' }, base: at, customHost: false },
    body: given,
    model: modelIn(given),
    rawBody: exchange.rawBody,
    strict: true,
    vendors: ['gw'],
    askUsage,
  });
}

const raw = Buffer.from('{ "model":"m",\n "messages": [ {"role":"user","content":"Hi"} ], "unknown":1.0 }');
const sent = { rawBody: raw, body: JSON.parse(raw.toString()) as JsonObject };
const spec = (fields: Partial<EndpointSpec>): Partial<Provider> => ({ endpoints: { chatComplete: chatAt(fields) } });

describe('the body of a call', () => {
  const same: readonly [string, Facts][] = [
    ['nothing changed it', {}],
    [
      'the rules of the provider name nothing that is in it',
      { definition: spec({ params: { rename: { a: 'b' }, drop: ['c'], values: { model: { x: 'y' } } } }) },
    ],
    ["the provider's last change gives it back", { definition: spec({ request: (body) => body }) }],
  ];
  for (const [when, facts] of same) {
    it(`is the client's, byte for byte, where ${when}`, () =>
      assert.equal(built({ exchange: sent, ...facts }).body, raw));
  }

  const changed: readonly [string, Facts, JsonObject][] = [
    ['the pipeline changes it', { body: (body) => ({ ...body, seed: 1 }) }, { ...sent.body, seed: 1 }],
    [
      'a rule changes it',
      { definition: spec({ params: { rename: { unknown: 'known' } } }) },
      { model: 'm', messages: [{ role: 'user', content: 'Hi' }], known: 1 },
    ],
    [
      'the provider sets a field',
      { definition: spec({ params: { set: { safe: true } } }) },
      { ...sent.body, safe: true },
    ],
    [
      'the provider makes a last change',
      { definition: spec({ request: (body) => ({ ...body, last: true }) }) },
      { ...sent.body, last: true },
    ],
  ];
  for (const [when, facts, expected] of changed) {
    it(`is written anew where ${when}`, () =>
      assert.deepEqual(JSON.parse(String(built({ exchange: sent, ...facts }).body)), expected));
  }

  it('names the model without the provider that chose it', () => {
    const outbound = built({ exchange: { body: { model: '@team/org/m', messages: [] } } });
    assert.deepEqual([JSON.parse(String(outbound.body)).model, outbound.facts.model], ['org/m', 'org/m']);
  });

  it('names it so where the endpoint has no format, and in what its reply is read by', () => {
    const passed = (body: JsonObject) =>
      built({
        exchange: { endpoint: 'assistants', dialect: undefined, body, rawBody: Buffer.from(JSON.stringify(body)) },
        definition: { endpoints: { assistants: { path: '/assistants' } } },
      });
    const named = { model: '@team/org/m', name: 'helper' };
    const { body, asked } = passed(named);
    assert.deepEqual(
      [JSON.parse(String(body)), asked],
      [
        { ...named, model: 'org/m' },
        { ...named, model: 'org/m' },
      ],
    );
    assert.equal(String(passed({ model: null, name: 'helper' }).body), '{"model":null,"name":"helper"}');
  });

  it('leaves a model that is no name as it came, where the endpoint may do without one', () => {
    const outbound = built({
      exchange: { endpoint: 'imageGenerate', dialect: 'images', body: { model: null, prompt: 'a cat' } },
      definition: { endpoints: { imageGenerate: { path: '/images/generations', dialect: 'images' } } },
    });
    assert.deepEqual(JSON.parse(String(outbound.body)), { model: null, prompt: 'a cat' });
  });

  it('notes what was dropped, once', () => {
    assert.deepEqual(built({ exchange: sent, definition: spec({ params: { drop: ['unknown', 'absent'] } }) }).dropped, [
      'unknown',
    ]);
  });

  const batch = { input_file_id: 'f', endpoint: '/v1/chat/completions', completion_window: '24h', model: 'm' };
  const job = { training_file: 'f', model: 'm', suffix: 's', hyperparameters: {}, method: {} };
  const file = { purpose: 'batch' };
  for (const [name, { endpoints }, endpoint, dialect, body] of [
    ['bedrock', bedrock, 'uploadFile', 'files', file],
    ['bedrock', bedrock, 'createBatch', 'batches', { ...batch, metadata: {}, job_name: 'j', role_arn: 'r' }],
    ['bedrock', bedrock, 'createFinetune', 'fine-tuning', { ...job, customization_type: 'c', output_file: 'o' }],
    ['google', google, 'uploadFile', 'files', file],
    ['google', google, 'createBatch', 'batches', { ...batch, metadata: {} }],
    ['vertex-ai', vertex, 'uploadFile', 'files', { ...file, model: 'm' }],
    ['vertex-ai', vertex, 'createBatch', 'batches', { ...batch, metadata: {}, output_data_config: 'o' }],
    ['fireworks-ai', fireworks, 'uploadFile', 'files', file],
    ['cohere', cohere, 'uploadFile', 'files', { ...file, name: 'n', 'keep_fields[]': ['a'] }],
  ] as const) {
    it(`notes what ${endpoint} of ${name} has no use for`, () => {
      const spec = { ...(endpoints[endpoint] ?? assert.fail('it is not there')), path: '/x' };
      const droppedOf = (given: JsonObject) =>
        built({ exchange: { endpoint, dialect, body: given }, definition: { endpoints: { [endpoint]: spec } } })
          .dropped;
      assert.deepEqual(droppedOf(body), []);
      assert.deepEqual(droppedOf({ ...body, priority: 1, expires_after: {} }), ['priority', 'expires_after']);
    });
  }

  it('holds the thinking of other formats where a chat provider says', () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 's' };
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [thought, { type: 'text', text: 'Ho' }] },
      { role: 'user', content: 'And?' },
    ];
    const assistantOf = (fields: Partial<EndpointSpec>) => {
      const outbound = built({
        exchange: { dialect: 'messages', endpoint: 'messages', body: { model: 'm', max_tokens: 9, messages } },
        definition: spec(fields),
      });
      return [(JSON.parse(String(outbound.body)) as { messages: readonly JsonObject[] }).messages[1], outbound.dropped];
    };
    assert.deepEqual(assistantOf({ reasoningField: 'reasoning' }), [
      { role: 'assistant', content: 'Ho', reasoning: 'Hm' },
      [],
    ]);
    assert.deepEqual(assistantOf({}), [{ role: 'assistant', content: 'Ho' }, ['thinking']]);
  });

  it('is translated where the provider speaks another format', () => {
    const outbound = built({
      exchange: sent,
      definition: {
        endpoints: { messages: { path: '/messages', dialect: 'messages', params: { set: { max_tokens: 9 } } } },
      },
    });
    const body = JSON.parse(String(outbound.body));
    assert.deepEqual(
      [outbound.url, body.model, body.max_tokens, body.messages[0].role, outbound.sameReply],
      [`${base}/messages`, 'm', 9, 'user', false],
    );
  });

  it('passes untouched where the endpoint has no format', () => {
    const bytes = Buffer.from([0, 255, 1]);
    const outbound = built({
      exchange: { endpoint: 'proxy', dialect: undefined, body: {}, rawBody: bytes, params: { path: 'files' } },
      definition: { endpoints: { proxy: { path: '' } } },
    });
    assert.equal(outbound.body, bytes);
  });

  const reading: readonly [string, Partial<Leaf>][] = [
    ['its reply may be kept', { cache: { mode: 'simple', maxAgeSeconds: 60 } }],
    ['guardrails look at it', { hooks: { before: [{}] as unknown as Leaf['hooks']['before'], after: [] } }],
  ];
  for (const [when, leaf] of reading) {
    it(`is what was read of it where ${when} and the endpoint has no format`, () => {
      const passed = (text: string) => {
        const rawBody = Buffer.from(text);
        const body = JSON.parse(text) as JsonObject;
        const definition: Partial<Provider> = { endpoints: { rerank: { path: '/rerank' } } };
        const exchange: ExchangeFacts = { endpoint: 'rerank', dialect: 'rerank', body, rawBody };
        return [String(built({ exchange, definition, leaf }).body), built({ exchange, definition }).body === rawBody];
      };
      assert.deepEqual(passed('{"model":"m", "query":"a", "query":"b"}'), ['{"model":"m","query":"b"}', true]);
      assert.deepEqual(passed('{"model":"m", "query":"b"}'), ['{"model":"m", "query":"b"}', true]);
    });
  }

  it('is absent where the client sent none', () => {
    const outbound = built({
      exchange: {
        endpoint: 'getModelResponse',
        dialect: undefined,
        method: 'DELETE',
        body: {},
        rawBody: Buffer.alloc(0),
        params: { id: 'r' },
      },
      definition: { endpoints: { getModelResponse: { method: 'GET', path: '/responses/{id}' } } },
    });
    assert.deepEqual([outbound.body, outbound.method, outbound.headers['content-type']], [undefined, 'GET', undefined]);
  });

  it('must name a model', () => {
    assert.throws(() => built({ exchange: { body: { messages: [] } } }), { code: 'bad_request', param: 'model' });
    assert.throws(() => built({ exchange: { body: { model: '@team/', messages: [] } } }), {
      code: 'bad_request',
      param: 'model',
    });
  });

  it('says that it is nested too deeply where it cannot be written', () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    assert.throws(
      () =>
        built({ exchange: { body: { model: 'm', messages: [] }, rawBody: raw }, body: (body) => ({ ...body, deep }) }),
      { code: 'bad_request' },
    );
  });
});

describe('the question for the token counts of a stream', () => {
  const streamed = Buffer.from(
    ' { "model":"m", "stream":true,\n"messages": [ {"role":"user","content":"{Hi}"} ], "unknown":1.0 }',
  );
  const asking = { rawBody: streamed, body: JSON.parse(streamed.toString()) as JsonObject };
  const textOf = (body: WireBody | undefined) => {
    assert.ok(body === undefined || typeof body === 'string' || body instanceof Uint8Array);
    return Buffer.from(body ?? '').toString();
  };
  const optionsOf = (body: WireBody | undefined) => (JSON.parse(textOf(body)) as JsonObject).stream_options;

  it("stands before the client's own bytes, which stay as they are", () => {
    const { body, hidesUsage } = built({ exchange: asking });
    assert.equal(textOf(body), `{"stream_options":{"include_usage":true},${streamed.toString().slice(2)}`);
    assert.deepEqual([optionsOf(body), hidesUsage], [{ include_usage: true }, true]);
  });

  for (const options of [null, {}, { include_usage: false }, { include_obfuscation: false }]) {
    it(`is put into ${JSON.stringify(options)}`, () => {
      const body = { ...asking.body, stream_options: options };
      const outbound = built({ exchange: { body, rawBody: Buffer.from(JSON.stringify(body)) } });
      assert.deepEqual(optionsOf(outbound.body), { ...options, include_usage: true });
      assert.equal(outbound.hidesUsage, true);
    });
  }

  it('is put into a body that is written anew', () => {
    const outbound = built({ exchange: asking, body: (body) => ({ ...body, seed: 1 }) });
    assert.deepEqual([optionsOf(outbound.body), outbound.hidesUsage], [{ include_usage: true }, true]);
  });

  const unasked: readonly [string, Facts][] = [
    [
      'of a client who asks itself',
      { exchange: { body: { ...asking.body, stream_options: { include_usage: true } } } },
    ],
    ['of a config that asks', { body: (body) => ({ ...body, stream_options: { include_usage: true } }) }],
  ];
  for (const [what, facts] of unasked) {
    it(`is that ${what}, who sees the answer`, () => {
      const outbound = built({ exchange: asking, ...facts });
      assert.deepEqual([optionsOf(outbound.body), outbound.hidesUsage], [{ include_usage: true }, false]);
    });
  }

  it('is not put to a provider that tells them in each case, or never', () => {
    for (const streamUsage of ['always', 'never', () => 'never' as const] as const) {
      const outbound = built({ exchange: asking, definition: spec({ streamUsage }) });
      assert.deepEqual([outbound.body, outbound.hidesUsage], [streamed, true]);
    }
  });

  it('is put as the body and the settings decide', () => {
    const streamUsage: EndpointSpec['streamUsage'] = (body, { settings }) =>
      body.data_sources === undefined && settings.apiKey === 'k' ? 'asked' : 'never';
    assert.deepEqual(optionsOf(built({ exchange: asking, definition: spec({ streamUsage }) }).body), {
      include_usage: true,
    });
    const more = (body: JsonObject) => ({ ...body, data_sources: [] });
    assert.equal(optionsOf(built({ exchange: asking, definition: spec({ streamUsage }), body: more }).body), undefined);
  });

  it('is put to no one when the operator does not want it', () => {
    const { body, hidesUsage } = built({ exchange: asking, askUsage: false });
    assert.deepEqual([body, hidesUsage], [streamed, false]);
  });

  it('is of no use for a whole reply, and in formats that tell them', () => {
    assert.deepEqual([built({ exchange: sent }).body, built({ exchange: sent }).hidesUsage], [raw, false]);
    const body = { model: 'm', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'Hi' }] };
    const definition = { endpoints: { messages: { path: '/messages', dialect: 'messages' as const } } };
    const outbound = built({ exchange: { body, dialect: 'messages', endpoint: 'messages' }, definition });
    assert.deepEqual([optionsOf(outbound.body), outbound.hidesUsage], [undefined, false]);
  });
});

describe('the URL of a call', () => {
  const withModel: Partial<Provider> = spec({ path: '/models/{model}/chat', streamPath: '/models/{model}/stream' });

  it('stays below the base whatever the model is called', () => {
    for (const model of [
      '../../x?y#z',
      '/evil.example',
      '//evil.example',
      '\\..\\x',
      'a%2f..',
      '?',
      '#',
      ':8080',
      '@evil.example',
      'a\r\nhost: evil',
    ]) {
      const { url } = built({ exchange: { body: { model, messages: [] } }, definition: withModel });
      const parsed = new URL(url);
      assert.equal(parsed.origin, 'https://alpha.example', model);
      assert.match(parsed.pathname, /^\/v1\/models\/[^/]+\/chat$/, model);
      assert.equal(parsed.search + parsed.hash, '', model);
    }
  });

  for (const model of ['.', '..', '@team/..']) {
    it(`is refused for the model "${model}"`, () => {
      assert.throws(() => built({ exchange: { body: { model, messages: [] } }, definition: withModel }), {
        code: 'bad_request',
        param: 'model',
      });
    });
  }

  it('is that of streams for a stream', () => {
    assert.equal(
      built({ exchange: { body: { model: 'm', stream: true, messages: [] } }, definition: withModel }).url,
      `${base}/models/m/stream`,
    );
  });

  it('leaves the query of the client behind where the formats are known', () => {
    assert.equal(built({ exchange: { query: '?api_key=x' } }).url, `${base}/chat/completions`);
  });

  const proxied = (path: string, query = '', method = 'GET') =>
    built({
      exchange: {
        endpoint: 'proxy',
        dialect: undefined,
        method,
        path: `/v1/proxy/${path}`,
        query,
        params: { path },
        body: {},
      },
      definition: { endpoints: { proxy: { path: '' } } },
    });

  it('is that of the client behind /v1/proxy, method and query included', () => {
    const outbound = proxied('files/a%20b', '?x=1&y=%2F', 'PATCH');
    assert.deepEqual([outbound.method, outbound.url], ['PATCH', `${base}/files/a%20b?x=1&y=%2F`]);
  });

  it('stays at its host whatever the proxied path is', () => {
    for (const path of [
      '/evil.example/x',
      '@evil.example',
      ':99',
      'a//b',
      'a/.../b',
      'a/..b',
      'https://evil.example/',
    ]) {
      assert.equal(new URL(proxied(path).url).origin, 'https://alpha.example', path);
      assert.ok(new URL(proxied(path).url).pathname.startsWith('/v1/'), path);
    }
  });

  for (const path of ['..', '../x', 'a/../../x', 'a/..', '.', 'a/./b', '%2e%2e/x', 'a/.%2E/x', '%2E/x', 'a\\..\\x']) {
    it(`refuses the proxied path ${path}`, () =>
      assert.throws(() => proxied(path), { code: 'bad_request', param: 'path' }));
  }
});

describe('the headers of a call', () => {
  it('say what is sent and what is wanted', () => {
    const { headers } = built();
    assert.deepEqual(headers, {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'portcullis',
    });
    assert.equal(
      built({ exchange: { body: { model: 'm', stream: true, messages: [] } } }).headers.accept,
      'text/event-stream',
    );
  });

  it('carry those of the client that the config names, and never its credentials', () => {
    const { headers } = built({
      exchange: {
        headers: {
          'x-one': '1',
          'x-two': '2',
          authorization: 'Bearer x',
          cookie: 'c',
          'x-gw-config': '{}',
          accept: 'text/html',
        },
      },
      leaf: { forwardHeaders: ['x-one', 'authorization', 'cookie', 'x-gw-config', 'accept'] },
    });
    assert.deepEqual(
      [
        headers['x-one'],
        headers['x-two'],
        headers.authorization,
        headers.cookie,
        headers['x-gw-config'],
        headers.accept,
      ],
      ['1', undefined, undefined, undefined, undefined, 'application/json'],
    );
  });

  it("let the provider's own win over what is forwarded, and leave out what it leaves undefined", () => {
    const { headers } = built({
      exchange: { headers: { 'x-version': 'client', 'user-agent': 'agent/1' } },
      leaf: { forwardHeaders: ['x-version', 'user-agent'] },
      definition: { headers: ({ model }) => ({ 'x-version': `for-${model}`, 'x-none': undefined }) },
    });
    assert.deepEqual([headers['x-version'], 'x-none' in headers, headers['user-agent']], ['for-m', false, 'agent/1']);
  });

  it('are all that may travel on the proxy route', () => {
    const { headers } = built({
      exchange: {
        endpoint: 'proxy',
        dialect: undefined,
        body: {},
        rawBody: Buffer.from('x'),
        params: { path: 'f' },
        headers: { 'content-type': 'audio/wav', 'accept-encoding': 'gzip', 'x-api-key': 'k', 'x-gw-provider': 'alpha' },
      },
      definition: { endpoints: { proxy: { path: '' } } },
    });
    assert.deepEqual(headers, { 'content-type': 'audio/wav', 'accept-encoding': 'gzip', 'user-agent': 'portcullis' });
  });
});

describe('whether a reply needs no translation', () => {
  const table: readonly [string, Partial<Provider>, boolean][] = [
    ['the formats are the same', {}, true],
    ['only parameters differ', spec({ params: { drop: ['x'] } }), true],
    ['the provider has finish words of its own', spec({ finishReasons: { eos: 'stop' } }), false],
    ['the provider repairs its replies', spec({ repair: (json) => json }), false],
    ['the formats differ', { endpoints: { messages: { path: '/messages', dialect: 'messages' } } }, false],
  ];
  for (const [when, definition, expected] of table) {
    it(`is ${expected} where ${when}`, () =>
      assert.equal(
        built({
          exchange: { body: { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] } },
          definition,
        }).sameReply,
        expected,
      ));
  }
});

describe('the endpoint of a call', () => {
  const offers = (...names: readonly ('chatComplete' | 'messages' | 'createModelResponse')[]): Partial<Provider> => ({
    endpoints: Object.fromEntries(
      names.map((name) => [
        name,
        {
          path: `/${name}`,
          dialect: { chatComplete: 'chat', messages: 'messages', createModelResponse: 'responses' }[name],
        } as EndpointSpec,
      ]),
    ),
  });
  const message: ExchangeFacts = {
    endpoint: 'messages',
    dialect: 'messages',
    body: { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] },
  };
  const table: readonly [string, ExchangeFacts, Partial<Provider>, string][] = [
    ['its own', {}, offers('chatComplete', 'messages'), 'chatComplete'],
    ['messages for chat', {}, offers('messages', 'createModelResponse'), 'messages'],
    ['responses for chat', {}, offers('createModelResponse'), 'createModelResponse'],
    ['chat for messages', message, offers('chatComplete', 'createModelResponse'), 'chatComplete'],
    [
      'responses for messages under the beta',
      { ...message, headers: { 'x-gw-beta': 'use-responses-api-2026-07-30' } },
      offers('chatComplete', 'createModelResponse'),
      'createModelResponse',
    ],
    [
      'its own, beta or not',
      { ...message, headers: { 'x-gw-beta': 'use-responses-api-2026-07-30' } },
      offers('messages', 'createModelResponse'),
      'messages',
    ],
  ];
  for (const [what, exchange, definition, expected] of table) {
    it(`is ${what}`, () => assert.equal(built({ exchange, definition }).chosen.endpoint, expected));
  }

  it('is refused where the provider offers none that fits', () => {
    assert.throws(() => built({ definition: { endpoints: { embed: { path: '/e', dialect: 'embeddings' } } } }), {
      code: 'endpoint_unsupported',
      message: 'chatComplete is not supported by alpha. It offers: embed.',
    });
  });
});
