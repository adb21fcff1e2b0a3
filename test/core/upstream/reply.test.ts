import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DialectName,
  dialects,
  type EndpointSpec,
  type JsonObject,
  type Outcome,
  type Provider,
  type ReplySink,
} from 'portcullis/sdk';
import { firstEvent, judgeOf } from '../../../core/upstream/first-event.ts';
import { buildOutbound } from '../../../core/upstream/outbound.ts';
import { outcomeOf } from '../../../core/upstream/reply.ts';
import type { WireReply, WireStream } from '../../../core/upstream/transport.ts';
import { type ExchangeFacts, exchangeOf, leafOf } from '../../support/exchange.ts';
import { testLedger } from '../ledger/ledgers.ts';
import { Collector } from './support.ts';
import { chatAt, unitOf } from './unit.ts';

const chatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const chatReply = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Ho' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};
const json = { 'content-type': 'application/json' };
const sse = { 'content-type': 'text/event-stream' };

interface Facts {
  readonly exchange?: ExchangeFacts;
  readonly definition?: Partial<Provider>;
}

async function outcome(
  reply: WireReply,
  { exchange: facts = { body: chatRequest }, definition }: Facts = {},
): Promise<Outcome> {
  const exchange = exchangeOf(facts);
  const outbound = buildOutbound({
    request: exchange,
    leaf: leafOf(),
    unit: unitOf(definition),
    settings: { settings: { apiKey: 'k' }, base: 'https://alpha.example/v1', customHost: false },
    body: exchange.body,
    model: String(exchange.body.model ?? ''),
    rawBody: exchange.rawBody,
    strict: true,
    vendors: ['gw'],
  });
  return outcomeOf(reply, outbound, {
    requestId: 'req-1',
    dialect: exchange.dialect,
    provider: 'alpha',
    model: 'm',
    path: 'config',
    context: () => ({
      strict: true,
      dropped: () => {},
      request: exchange.body,
      newId: (prefix) => `${prefix}1`,
      nowSeconds: () => 1,
    }),
    nowMs: 0,
    ledger: testLedger(),
    cancellation: exchange.cancellation,
  });
}

/** With its length, as nearly all of them; without, the end of the connection is that of the reply. */
function whole(status: number, body: unknown, headers: Record<string, string> = json, hasLength = true): WireReply {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { status, headers: hasLength ? { ...headers, 'content-length': String(bytes.length) } : headers, bytes };
}

function streaming(text: string, headers: Record<string, string> = sse, size = 1000) {
  const whole = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
    whole.subarray(index * size, (index + 1) * size),
  );
  const held: Uint8Array[] = [];
  const seen = { aborted: 0 };
  const stream: WireStream = {
    until: async (look) => {
      for (let next = chunks.shift(); next !== undefined; next = chunks.shift()) {
        held.push(next);
        if (look(next)) return;
      }
    },
    resume: () => {},
    abort: () => (seen.aborted += 1),
    pipe: (sink: ReplySink) => {
      for (const chunk of [...held, ...chunks]) sink.data(chunk);
      sink.end();
    },
  };
  return { reply: { status: 200, headers, stream } as WireReply, seen };
}

function streamIn({ stream }: WireReply): WireStream {
  return stream ?? assert.fail('it does not stream');
}

async function bodyOf({ body }: Outcome): Promise<string> {
  if (body.kind === 'bytes') return Buffer.from(body.bytes).toString();
  const sink = new Collector();
  body.stream.pipe(sink);
  await sink.done;
  return sink.text;
}

describe('a reply that was collected', () => {
  it('goes on byte for byte where the formats are the same, its tokens read on demand', async () => {
    const text = JSON.stringify(chatReply, null, 1);
    const result = await outcome(whole(200, text));
    assert.deepEqual(
      [await bodyOf(result), result.usage()?.input, result.usage()?.output, result.error],
      [text, 3, 2, undefined],
    );
  });

  const thought = {
    ...chatReply,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Ho', reasoning: 'Hm' }, finish_reason: 'odd' }],
  };
  const rewritten = { finishReasons: { odd: 'stop' } } as const;
  const thoughts: readonly [string, Partial<EndpointSpec>, string | undefined][] = [
    ['keeps its thinking where the provider says it is', { ...rewritten, reasoningField: 'reasoning' }, 'Hm'],
    ['loses its thinking where the provider does not say, and the client is strict', rewritten, undefined],
  ];
  for (const [what, fields, expected] of thoughts) {
    it(`${what}, when it is written anew in the same format`, async () => {
      const result = await outcome(whole(200, thought), {
        definition: { endpoints: { chatComplete: chatAt(fields) } },
      });
      const { choices } = JSON.parse(await bodyOf(result)) as typeof thought;
      assert.deepEqual([choices[0]?.message.reasoning, choices[0]?.finish_reason], [expected, 'stop']);
    });
  }
  it('shows no field for thinking to chat clients of another format', async () => {
    const message = {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 's' },
        { type: 'text', text: 'Ho' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 2 },
    };
    const result = await outcome(whole(200, message), {
      definition: {
        endpoints: { messages: { path: '/messages', dialect: 'messages', reasoningField: 'reasoning' } },
      },
    });
    assert.equal((await bodyOf(result)).includes('Hm'), false);
  });

  it('is translated where they differ', async () => {
    const message = {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Ho' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 2 },
    };
    const result = await outcome(whole(200, message), {
      definition: { endpoints: { messages: { path: '/messages', dialect: 'messages' } } },
    });
    const body = JSON.parse(await bodyOf(result));
    assert.deepEqual(
      [body.choices[0].message.content, body.choices[0].finish_reason, result.usage()?.input],
      ['Ho', 'stop', 3],
    );
  });

  it('becomes a stream where the client asked for one', async () => {
    const result = await outcome(whole(200, chatReply), { exchange: { body: { ...chatRequest, stream: true } } });
    assert.match(String(result.headers['content-type']), /^text\/event-stream/);
    assert.match(await bodyOf(result), /"content":"Ho"[\s\S]*data: \[DONE\]\n\n$/);
  });

  it('is an error where a 200 holds one', async () => {
    const result = await outcome(whole(200, { error: { message: 'busy', type: 'rate_limit_error' } }));
    assert.deepEqual(
      [result.status, result.error, JSON.parse(await bodyOf(result)).error.message],
      [429, 'upstream_error', 'alpha error: busy'],
    );
  });

  it('is an error wherever in a 200 it stands', async () => {
    const told = JSON.stringify({ error: { message: 'busy', type: 'rate_limit_error' } }).slice(1);
    const before = JSON.stringify({ id: 'x'.repeat(1000), nested: { error: null } }).slice(0, -1);
    for (const text of [`${before},${told}`, `${before}\n, ${told.replace(':', ' :\n ')}`]) {
      const result = await outcome(whole(200, text));
      assert.deepEqual([result.status, result.error], [429, 'upstream_error'], text);
    }
  });

  it('is an error where a 200 holds nothing but its text', async () => {
    const result = await outcome(whole(200, { error: 'The model is loading.' }));
    assert.deepEqual(
      [result.status, result.error, JSON.parse(await bodyOf(result)).error.message],
      [502, 'upstream_error', 'alpha error: The model is loading.'],
    );
  });

  it('is no error for the word in what is said, and not read for an error that is null', async (t) => {
    const parse = t.mock.method(JSON, 'parse');
    const said = [{ index: 0, message: { role: 'assistant', content: '{"error":{"message":"m"}}' } }];
    for (const text of [JSON.stringify({ ...chatReply, choices: said }), '{"error" : null, "choices":[]}']) {
      assert.equal(await bodyOf(await outcome(whole(200, text))), text);
    }
    assert.equal(parse.mock.callCount(), 0);
  });

  it('is no error for an error that is null', async () => {
    const text = JSON.stringify({ error: null, ...chatReply });
    assert.equal(await bodyOf(await outcome(whole(200, text))), text);
  });

  it('is refused where it cannot be read and must be', async () => {
    const definition = { endpoints: { chatComplete: chatAt({ repair: (body: JsonObject) => body }) } };
    for (const text of ['<html>', '[]', 'null', '']) {
      const result = await outcome(whole(200, text), { definition });
      assert.deepEqual([result.status, result.error], [502, 'upstream_invalid'], text);
    }
  });

  it('is refused where it ends in the middle, also where it would be forwarded unread', async () => {
    const text = JSON.stringify(chatReply);
    for (const cut of [text.slice(0, -2), text.slice(0, 40), '{']) {
      const result = await outcome(whole(200, cut));
      assert.deepEqual([result.status, result.error], [502, 'upstream_invalid'], cut);
    }
    for (const said of [`${text}\n`, `${text} \r\n\t`])
      assert.equal(await bodyOf(await outcome(whole(200, said))), said);
  });

  it('is refused where it ends behind an inner brace, and nothing told how long it is', async () => {
    const text = JSON.stringify(chatReply);
    const inner = text.slice(0, text.indexOf('}') + 1);
    const embed: ExchangeFacts = { endpoint: 'rerank', dialect: 'rerank', body: { model: 'm', query: 'q' } };
    const rerank = { endpoints: { rerank: { path: '/rerank', dialect: 'rerank' } } } as const;
    for (const facts of [{}, { exchange: embed, definition: rerank }]) {
      const cut = await outcome(whole(200, inner, json, false), facts);
      assert.deepEqual([cut.status, cut.error], [502, 'upstream_invalid']);
      for (const said of [text, `\ufeff${text}`])
        assert.equal(await bodyOf(await outcome(whole(200, said, json, false), facts)), said);
    }
    const chunked = { ...json, 'transfer-encoding': 'chunked' };
    assert.equal(await bodyOf(await outcome(whole(200, text, chunked, false))), text);
  });

  it('is refused where it is translated and holds nothing of an answer', async () => {
    for (const dialect of ['messages', 'responses', 'gemini', 'converse'] as const) {
      const definition = { endpoints: { chatComplete: chatAt({ dialect }) } };
      for (const body of [{}, { message: 'Sign in.' }]) {
        const refused = {
          code: 'upstream_invalid',
          message: 'Invalid response received from alpha: it holds no answer.',
        };
        await assert.rejects(outcome(whole(200, body), { definition }), refused, dialect);
      }
    }
  });

  it('is an error where only what puts it right finds that out', async () => {
    const repair = (body: JsonObject) => ({ ...body, error: { message: 'No.', type: 'rate_limit_error' } });
    const definition = { endpoints: { chatComplete: chatAt({ repair }) } };
    const result = await outcome(whole(200, chatReply), { definition });
    assert.deepEqual([result.status, result.error], [429, 'upstream_error']);
  });

  for (const encoding of ['', 'Identity']) {
    it(`is read in the content encoding "${encoding}", which is none`, async () => {
      const result = await outcome(whole(200, chatReply, { ...json, 'content-encoding': encoding }));
      assert.equal(result.status, 200);
    });
  }

  it('is refused where it is encoded although nobody asked for that', async () => {
    await assert.rejects(outcome(whole(200, 'zipped', { ...json, 'content-encoding': 'gzip' })), {
      code: 'upstream_invalid',
    });
    const { reply, seen } = streaming('zipped', { ...sse, 'content-encoding': 'br' });
    await assert.rejects(outcome(reply, { exchange: { body: { ...chatRequest, stream: true } } }), {
      code: 'upstream_invalid',
    });
    assert.equal(seen.aborted, 1);
  });

  it('loses nothing of its headers but what speaks of the connection', async () => {
    const { headers } = await outcome(
      whole(200, chatReply, { ...json, 'x-request-id': 'r', 'set-cookie': 'a=b', 'content-length': '9' }),
    );
    assert.deepEqual(headers, { ...json, 'x-request-id': 'r' });
  });
});

describe('the usage of a forwarded reply', () => {
  const total = { input_tokens: 9, output_tokens: 4 };
  const spoof = { usage: { input_tokens: 0, output_tokens: 0 } };
  const call = { type: 'tool_use', id: 't', name: 'f', input: spoof };
  const rest = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use' };
  const orders: readonly [string, Record<string, unknown>][] = [
    ['stands last', { ...rest, content: [call], usage: total }],
    ['stands before content that has a key of the same name', { ...rest, usage: total, content: [call] }],
    ['is followed by other fields', { ...rest, content: [call], usage: total, service_tier: 'standard', extra: null }],
    ['stands far from the end', { ...rest, usage: total, content: [{ type: 'text', text: 'x'.repeat(5000) }, call] }],
  ];
  for (const [says, body] of orders) {
    it(`is its own when it ${says}`, async () => {
      const exchange = { dialect: 'messages', endpoint: 'messages', body: { model: 'm', max_tokens: 5 } } as const;
      const definition = { endpoints: { messages: { path: '/messages', dialect: 'messages' } } } as const;
      const result = await outcome(whole(200, body), { exchange, definition });
      assert.deepEqual([result.usage()?.input, result.usage()?.output], [9, 4]);
    });
  }
});

describe('the model that a reply names', () => {
  const told = { ...chatReply, model: 'm-2026' };
  const events = [{ ...told, choices: [] }].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const asked = { ...chatRequest, stream: true };
  const messages = { dialect: 'messages', endpoint: 'messages', body: { ...chatRequest, max_tokens: 5 } } as const;

  it('is told of whole replies and of streams, forwarded or translated', async () => {
    const outcomes = [
      await outcome(whole(200, told)),
      await outcome(whole(200, told), { exchange: messages }),
      await outcome(streaming(events).reply, { exchange: { body: asked } }),
      await outcome(streaming(events).reply, { exchange: { ...messages, body: { ...messages.body, stream: true } } }),
    ];
    for (const result of outcomes) {
      await bodyOf(result);
      assert.equal(result.metering?.model, 'm-2026');
    }
  });

  it('is none where it names none', async () => {
    const { model: _, ...unnamed } = chatReply;
    assert.equal((await outcome(whole(200, unnamed))).metering?.model, undefined);
  });
});

describe('an error of a provider', () => {
  const table: readonly [string, WireReply, number, string][] = [
    [
      'its own status and words',
      whole(429, { error: { message: 'slow down', type: 'rate_limit' } }),
      429,
      'alpha error: slow down',
    ],
    ['its status where it says nothing', whole(503, ''), 503, 'alpha error: answered with status 503'],
    [
      'its status where it sends a page',
      whole(500, '<html>secret</html>', { 'content-type': 'text/html' }),
      500,
      'alpha error: answered with status 500',
    ],
    [
      '502 for a redirect, which is not followed',
      whole(302, '', { location: 'https://evil.example' }),
      502,
      'alpha error: answered with a redirect (status 302), which is not followed',
    ],
    ['502 for a 304', whole(304, ''), 502, 'alpha error: answered with a redirect (status 304), which is not followed'],
    ['the first of a list', whole(400, [{ error: { message: 'first' } }]), 400, 'alpha error: first'],
  ];
  for (const [what, reply, status, message] of table) {
    it(`has ${what}`, async () => {
      const result = await outcome(reply);
      const body = JSON.parse(await bodyOf(result));
      assert.deepEqual(
        [result.status, body.error.message, body.provider, result.error],
        [status, message, 'alpha', 'upstream_error'],
      );
    });
  }

  it('says how long to wait', async () => {
    const result = await outcome(whole(429, {}, { ...json, 'retry-after': '2' }));
    assert.deepEqual([result.retryAfterMs, result.headers['retry-after']], [2000, '2']);
  });

  it('is written in the format of the client', async () => {
    const exchange: ExchangeFacts = {
      endpoint: 'messages',
      dialect: 'messages',
      body: { ...chatRequest, max_tokens: 1 },
    };
    const body = JSON.parse(await bodyOf(await outcome(whole(404, { error: { message: 'none' } }), { exchange })));
    assert.deepEqual(body, {
      type: 'error',
      error: { type: 'not_found_error', message: 'alpha error: none' },
      request_id: 'req-1',
    });
  });

  it('never has a status that no reply may have', async () => {
    for (const code of [99_999, 0, -1, 200, '42']) {
      const result = await outcome(whole(200, { error: { message: 'odd', code } }));
      assert.ok(result.status >= 400 && result.status <= 599, `${code} gave ${result.status}`);
    }
  });

  it('has 502 in the place of a status that HTTP does not know', async () => {
    const result = await outcome(whole(999, ''));
    assert.equal(result.status, 502);
    assert.match(await bodyOf(result), /answered with status 999/);
  });

  it('is readable although its headers claim an encoding', async () => {
    const exchange: ExchangeFacts = {
      endpoint: 'getModelResponse',
      dialect: undefined,
      method: 'GET',
      body: {},
      params: { id: 'r' },
    };
    const definition = { endpoints: { getModelResponse: { method: 'GET', path: '/responses/{id}' } as EndpointSpec } };
    const result = await outcome(whole(500, 'zipped', { 'content-encoding': 'gzip' }), { exchange, definition });
    assert.equal(result.headers['content-encoding'], undefined);
    assert.equal(JSON.parse(await bodyOf(result)).error.message, 'alpha error: zipped');
  });
});

describe('a reply that streams', () => {
  const stream = { exchange: { body: { ...chatRequest, stream: true } } };
  const text =
    'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Ho"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

  for (const size of [1, 7, 1000]) {
    it(`goes on byte for byte where the formats are the same, in chunks of ${size}`, async () => {
      const result = await outcome(streaming(text, sse, size).reply, stream);
      assert.deepEqual([result.status, result.body.kind, await bodyOf(result)], [200, 'stream', text]);
    });

    it(`is an error with its own status where its first event is one, in chunks of ${size}`, async () => {
      const { reply, seen } = streaming(
        'data: {"error":{"message":"overloaded","type":"overloaded_error","code":529}}\n\n',
        sse,
        size,
      );
      const result = await outcome(reply, stream);
      assert.deepEqual([result.status, result.error, result.body.kind, seen.aborted], [529, 'overloaded', 'bytes', 1]);
    });
  }

  for (const [dialect, endpoint, text] of [
    ['chat', 'chatComplete', ''],
    ['chat', 'chatComplete', ': only a comment\n\n'],
    ['chat', 'chatComplete', 'event: ping\ndata:\n\n'],
    ['chat', 'chatComplete', 'data: [DONE]\n\n'],
    ['chat', 'chatComplete', ': a comment\n\ndata: [DONE]\n\n'],
    ['chat', 'chatComplete', 'data: [DONE]'],
    ['completions', 'complete', 'data: [DONE]\n\n'],
    ['responses', 'createModelResponse', 'data: [DONE]\n\n'],
    ['messages', 'messages', 'event: ping\ndata: {"type":"ping"}\n\n'],
    ['messages', 'messages', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
    ['messages', 'messages', 'data: {"type":"ping"}\n\ndata: {"type":"message_stop"}\n\ndata: [DONE]\n\n'],
    ['messages', 'messages', 'data: [DONE]\n\n'],
  ] as const) {
    it(`is refused, and given up, where it says nothing: ${dialect} with ${JSON.stringify(text)}`, async () => {
      for (const client of [dialect, 'chat'] as const) {
        const body = { ...chatRequest, stream: true };
        const exchange: ExchangeFacts = {
          endpoint: client === 'chat' ? 'chatComplete' : endpoint,
          dialect: client,
          body,
        };
        const at = chatAt({ dialect });
        const { reply, seen } = streaming(text, sse, 9);
        await assert.rejects(
          outcome(reply, { exchange, definition: { endpoints: { chatComplete: at, [endpoint]: at } } }),
          {
            code: 'upstream_invalid',
            message: 'alpha answered with an empty stream.',
          },
        );
        assert.equal(seen.aborted, 1);
      }
    });
  }

  it('is an error with its own status where its first event after pings is one', async () => {
    const exchange: ExchangeFacts = {
      endpoint: 'messages',
      dialect: 'messages',
      body: { ...chatRequest, stream: true },
    };
    const definition = { endpoints: { messages: chatAt({ dialect: 'messages' }) } };
    const error = '{"type":"error","error":{"type":"overloaded_error","message":"m"}}';
    const { reply } = streaming(`data: {"type":"ping"}\n\nevent: error\ndata: ${error}\n\n`);
    assert.equal((await outcome(reply, { exchange, definition })).status, 529);
  });

  it('is looked at past comments, empty lines and events that say nothing', async () => {
    for (const front of [': hello\n\n\n\n', 'event: ping\ndata:\n\n']) {
      const { reply } = streaming(front + text);
      assert.equal(await bodyOf(await outcome(reply, stream)), front + text);
      const failing = streaming(`${front}data: {"error":{"message":"m","type":"rate_limit_error"}}\n\n`);
      assert.equal((await outcome(failing.reply, stream)).status, 429);
    }
  });

  it('is refused, and given up, where it begins with something that is no event of its format', async () => {
    for (const data of ['Internal error', '<html>', 'null', '"text"', '{"id":']) {
      const { reply, seen } = streaming(`data: ${data}\n\n${text}`);
      await assert.rejects(outcome(reply, stream), { code: 'upstream_invalid' }, data);
      assert.equal(seen.aborted, 1);
    }
  });

  for (const [data, status, message] of [
    ['It is down.', 502, 'alpha error: It is down.'],
    ['<html>', 502, 'alpha error: The provider reported an error without a message.'],
    ['{"message":"It is down."}', 502, 'alpha error: It is down.'],
    ['{"error":{"message":"Slow.","type":"rate_limit_error"}}', 429, 'alpha error: Slow.'],
    ['{"what":1}', 502, 'alpha error: The provider reported an error without a message.'],
  ] as const) {
    it(`is an error where its first event is called so: ${data}`, async () => {
      const { reply, seen } = streaming(`event: error\ndata: ${data}\n\n`);
      const result = await outcome(reply, stream);
      assert.deepEqual([result.status, result.error, seen.aborted], [status, 'upstream_error', 1]);
      assert.equal(JSON.parse(await bodyOf(result)).error.message, message);
    });
  }

  it('is waited for a while only, where nothing but comments comes', async () => {
    const { reply } = streaming(': one\n\n: two\n\n', sse, 7);
    const times = [0, 15_000, 15_001];
    const clock = () => times.shift() ?? assert.fail('the stream was looked at once more');
    assert.equal((await firstEvent(streamIn(reply), 'sse', judgeOf(dialects.chat, undefined), clock)).kind, 'late');
    assert.deepEqual(times, []);
  });

  describe('that was waited for as long as that', () => {
    const alive = ': one\n\n: two\n\n';
    const silent = [
      ['chat', 'chatComplete', 'data: [DONE]\n\n', /^data: \{"error":\{[^\n]*empty stream[^\n]*\}\n\n$/],
      ['chat', 'chatComplete', 'data: [DONE]', /^data: \{"error":\{[^\n]*empty stream[^\n]*\}\n\n$/],
      ['completions', 'complete', 'data: [DONE]\n\n', /^data: \{"error":\{[^\n]*empty stream[^\n]*\}\n\n$/],
      [
        'responses',
        'createModelResponse',
        'data: [DONE]\n\n',
        /event: (?:error|response\.failed)\ndata: [^\n]*empty stream[^\n]*\n\n$/,
      ],
      [
        'messages',
        'messages',
        'event: message_stop\ndata: {"type":"message_stop"}\n\n',
        /^event: error\ndata: \{"type":"error"[^\n]*empty stream/,
      ],
      ['messages', 'messages', '', /^event: error\ndata: \{"type":"error"[^\n]*empty stream/],
    ] as const;
    for (const [name, endpoint, end, fault] of silent)
      for (const provider of [name, name === 'messages' ? 'chat' : 'messages'] as const)
        it(`ends with an error where it then ends without an answer: ${name} of ${provider}, ${JSON.stringify(end)}`, async (t) => {
          let now = 0;
          t.mock.method(performance, 'now', () => (now += 20_000));
          const said =
            provider === name || end === ''
              ? end
              : provider === 'chat'
                ? 'data: [DONE]\n\n'
                : 'data: {"type":"message_stop"}\n\n';
          for (const size of [1, 7, 1000].filter((size) => size < (alive + said).length)) {
            const { reply, seen } = streaming(alive + said, sse, size);
            const asked = endpoint === 'createModelResponse' ? { input: 'Hi' } : { messages: chatRequest.messages };
            const body = {
              model: 'm',
              ...(name === 'completions' ? { prompt: 'Hi' } : asked),
              max_tokens: 9,
              stream: true,
            };
            const result = await outcome(reply, {
              exchange: { endpoint, dialect: name, body },
              definition: {
                endpoints: { chatComplete: chatAt({ dialect: provider }), [endpoint]: chatAt({ dialect: provider }) },
              },
            });
            assert.equal(result.status, 200);
            const sent = (await bodyOf(result)).replaceAll(/^:[^\n]*\n/gm, '').trimStart();
            assert.match(sent, fault);
            assert.equal(result.metering?.error, 'upstream_invalid');
            if (end.endsWith('\n\n')) assert.equal(seen.aborted, 1);
          }
        });

    it('goes on as it came where an answer begins, in whatever pieces', async (t) => {
      let now = 0;
      t.mock.method(performance, 'now', () => (now += 20_000));
      for (let size = 1; size < 40; size += 1) {
        const result = await outcome(streaming(alive + text, sse, size).reply, stream);
        assert.equal(await bodyOf(result), alive + text);
        assert.equal(result.metering?.error, undefined);
      }
    });

    it('goes on with the error that its provider tells', async (t) => {
      let now = 0;
      t.mock.method(performance, 'now', () => (now += 20_000));
      const fault = 'data: {"error":{"message":"m","type":"rate_limit_error"}}\n\n';
      const result = await outcome(streaming(alive + fault, sse, 9).reply, stream);
      assert.equal(await bodyOf(result), alive + fault);
      assert.equal(result.metering?.error, 'upstream_error');
    });
  });

  it('is refused, and given up, where it breaks its own framing', async () => {
    const definition = { endpoints: { chatComplete: chatAt({ framing: 'event-stream' }) } };
    const { reply, seen } = streaming('this is no event stream message at all, just text');
    await assert.rejects(outcome(reply, { ...stream, definition }), { code: 'upstream_invalid' });
    assert.equal(seen.aborted, 1);
  });

  it('reaches the client in the framing that clients read, whatever the provider’s own is', async () => {
    const definition = { endpoints: { chatComplete: chatAt({ framing: 'ndjson' }) } };
    const { reply } = streaming(
      '{"id":"c","choices":[{"index":0,"delta":{"content":"Ho"},"finish_reason":"stop"}]}\n',
      { 'content-type': 'application/x-ndjson' },
    );
    const result = await outcome(reply, { ...stream, definition });
    assert.match(String(result.headers['content-type']), /^text\/event-stream/);
    assert.match(await bodyOf(result), /^data: \{[\s\S]*"Ho"[\s\S]*data: \[DONE\]\n\n$/);
  });

  it('passes untouched on the proxy route', async () => {
    const exchange: ExchangeFacts = { endpoint: 'proxy', dialect: undefined, body: {}, params: { path: 'x' } };
    const { reply } = streaming('anything', { 'content-type': 'audio/mpeg', 'content-encoding': 'gzip' });
    const result = await outcome(reply, { exchange, definition: { endpoints: { proxy: { path: '' } } } });
    assert.deepEqual([await bodyOf(result), result.headers['content-encoding']], ['anything', 'gzip']);
  });
});

describe('a reply of Converse that is none', () => {
  for (const [body, status] of [
    [{ __type: 'com.amazon.coral.service#ThrottlingException' }, 429],
    [{ __type: 'OddException', output: null }, 502],
    [{ Output: { __type: 'com.amazon.coral.service#UnknownOperationException' }, Version: '1.0' }, 404],
  ] as const) {
    it(`is an error: ${JSON.stringify(body)}`, async () => {
      const definition = { endpoints: { chatComplete: chatAt({ dialect: 'converse' }) } };
      const result = await outcome(whole(200, body), { definition });
      assert.deepEqual([result.status, result.error], [status, 'upstream_error']);
    });
  }
});

describe('a list of models', () => {
  const exchange: ExchangeFacts = {
    endpoint: 'listModels',
    dialect: undefined as DialectName | undefined,
    method: 'GET',
    body: {},
  };
  const definition = { endpoints: { listModels: { method: 'GET', path: '/models' } as EndpointSpec } };

  it('is read in any form and written in one', async () => {
    const body = JSON.parse(
      await bodyOf(await outcome(whole(200, { data: [{ id: 'a' }, { id: 'b' }] }), { exchange, definition })),
    );
    assert.deepEqual([body.object, body.data.map((model: { id: string }) => model.id)], ['list', ['a', 'b']]);
  });

  for (const [what, given, expected] of [
    ['a page', '<html>Sign in</html>', [502, 'upstream_invalid', 'upstream_invalid']],
    ['a text', '"ok"', [502, 'upstream_invalid', 'upstream_invalid']],
    ['an error', { error: { message: 'No such key', code: 'bad_key' } }, [502, 'upstream_error', 'bad_key']],
  ] as const)
    it(`is an error where ${what} came in its place`, async () => {
      const result = await outcome(whole(200, given), { exchange, definition });
      const { error } = JSON.parse(await bodyOf(result));
      assert.deepEqual([result.status, result.error, error.code], expected);
    });
});
