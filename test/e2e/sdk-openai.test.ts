import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import OpenAI from 'openai';
import { asObject, asObjects, asString, type JsonObject } from 'portcullis/sdk';
import { callOf, events, replyOf, route, routesOf } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const story = 'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b';
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'developer', content: 'You are a helpful assistant.' },
  { role: 'user', content: 'Hello!' },
];
const boston = { role: 'user', content: 'What is the weather like in Boston and Paris today?' } as const;
const location = { type: 'string', description: 'The city and state, e.g. San Francisco, CA' };
const weather = {
  type: 'function',
  function: {
    name: 'get_current_weather',
    description: 'Get the current weather in a given location',
    parameters: {
      type: 'object',
      properties: { location, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      required: ['location'],
    },
  },
} as const;
const asked = { model: 'gpt-4.1', messages };
const tools = { model: 'gpt-4.1', messages: [boston], tools: [weather], tool_choice: 'auto' } as const;

const shape = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'], additionalProperties: false };
const format = { type: 'json_schema', json_schema: { name: 'point', strict: true, schema: shape } } as const;
const textFormat = { format: { type: 'json_schema', name: 'point', strict: true, schema: shape } } as const;
const chatReply = asObject(replyOf('openai', 'chat')) ?? assert.fail('no reply');
const responseReply = asObject(replyOf('openai', 'responses')) ?? assert.fail('no reply');
const point = '{"x":7}';
const pointed = {
  ...chatReply,
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: point } }],
};
const pointedOutput: JsonObject = {
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: point, annotations: [] }],
};
const thinking = {
  model: 'gpt-5',
  instructions: 'You are a helpful assistant.',
  input: 'Hello!',
  reasoning: { effort: 'low', summary: 'auto' },
} as const;
const numbers = [0.0023064255, -0.009327292, -0.0028842222];
const packed = Buffer.from(new Float32Array(numbers).buffer).toString('base64');
const vector = (embedding: string): JsonObject => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding }],
  model: 'text-embedding-3-small',
  usage: { prompt_tokens: 5, total_tokens: 5 },
});

const [stored = assert.fail('no route')] = routesOf('openai', ['responses-get']);
const [replayed = assert.fail('no route')] = routesOf('openai', ['thinking-responses-stream']);

const routes = [
  ...routesOf('openai', [
    'chat',
    'stream',
    'tools',
    'tools-stream',
    'error-rate-limit',
    'embed',
    'completions',
    'moderation',
  ]),
  ...routesOf('openai', ['responses', 'responses-delete', 'responses-input-items', 'response-cancel']),
  ...routesOf('openai', ['thinking-responses-stream', 'model', 'models']),
  route('POST', '/v1/chat/completions', pointed, {
    body: { ...callOf<JsonObject>('openai', 'chat'), response_format: format },
  }),
  route(
    'POST',
    '/v1/responses',
    { ...responseReply, output: [pointedOutput] },
    {
      body: { model: 'gpt-4.1', input: 'A point?', text: textFormat },
    },
  ),
  route('POST', '/v1/embeddings', vector(packed), {
    body: { model: 'text-embedding-3-small', input: 'Hi', encoding_format: 'base64' },
  }),
  route(
    'POST',
    '/v1/completions',
    `${events(
      {
        id: 'cmpl-1',
        object: 'text_completion',
        created: 1,
        model: 'gpt-3.5-turbo-instruct',
        choices: [{ index: 0, text: 'This', logprobs: null, finish_reason: null }],
      },
      {
        id: 'cmpl-1',
        object: 'text_completion',
        created: 1,
        model: 'gpt-3.5-turbo-instruct',
        choices: [{ index: 0, text: ' is', logprobs: null, finish_reason: 'stop' }],
      },
    )}data: [DONE]\n\n`,
    { body: { model: 'gpt-3.5-turbo-instruct', prompt: 'Say this', stream: true } },
  ),
  { ...stored, path: `/v1/responses/${story}?include%5B%5D=reasoning.encrypted_content` },
  { ...replayed, method: 'GET', path: `/v1/responses/${story}?stream=true&starting_after=1`, body: undefined },
  route('GET', '/v1/chat/completions?limit=1', {
    object: 'list',
    data: [chatReply],
    first_id: 'x',
    last_id: 'x',
    has_more: false,
  }),
  route('GET', '/v1/chat/completions/chatcmpl-1', chatReply),
  route('DELETE', '/v1/models/ft:gpt-4o-mini:acemeco:suffix:abc123', {
    id: 'ft:gpt-4o-mini:acemeco:suffix:abc123',
    object: 'model',
    deleted: true,
  }),
];

/** What the client gets by each call; the name is that of the fixture that holds the answer. */
const calls: Readonly<Record<string, (client: OpenAI) => Promise<unknown>>> = {
  chat: (client) => client.chat.completions.create(asked),
  stream: async (client) =>
    Array.fromAsync(
      await client.chat.completions.create({ ...asked, stream: true, stream_options: { include_usage: true } }),
    ),
  tools: (client) => client.chat.completions.create({ ...tools, tools: [...tools.tools], messages: [boston] }),
  'tools-stream': async (client) =>
    Array.fromAsync(
      await client.chat.completions.create({ ...tools, tools: [...tools.tools], messages: [boston], stream: true }),
    ),
  completions: (client) =>
    client.completions.create({
      model: 'gpt-3.5-turbo-instruct',
      prompt: 'Say this is a test',
      max_tokens: 7,
      temperature: 0,
    }),
  embed: (client) =>
    client.embeddings.create({
      model: 'text-embedding-3-small',
      input: ['The food was delicious', 'and the waiter...'],
      encoding_format: 'float',
      dimensions: 3,
    }),
  moderation: (client) =>
    client.moderations.create({
      model: 'omni-moderation-latest',
      input: [{ type: 'text', text: 'I want to kill them.' }],
    }),
  responses: async (client) =>
    unspoken(
      await client.responses.create({
        model: 'gpt-4.1',
        input: 'Tell me a three sentence bedtime story about a unicorn.',
        store: true,
      }),
    ),
  'response-cancel': async (client) => unspoken(await client.responses.cancel('resp_67cb71b351908190')),
  'thinking-responses-stream': async (client) =>
    Array.fromAsync(await client.responses.create({ ...thinking, stream: true })),
  model: (client) => client.models.retrieve('gpt-4o'),
};

/** The SDK adds all that was said, in a field of its own. */
function unspoken({ output_text: said, ...response }: OpenAI.Responses.Response): unknown {
  assert.ok(said === undefined || said.length > 0);
  return response;
}

describe('the openai SDK', () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  let client: OpenAI;
  before(async () => {
    world = await openRecorded(scope, { openai: routes });
    client = world.gateway.openai({ 'x-gw-provider': '@openai' });
  });

  for (const [name, call] of Object.entries(calls)) {
    it(`gets the recorded ${name}`, async () => {
      assert.deepEqual(plain(await call(client)), replyOf('openai', name));
    });
  }

  it('assembles a chat from its stream', async () => {
    const stream = client.chat.completions.stream({ ...asked, stream_options: { include_usage: true } });
    const text: string[] = [];
    stream.on('content', (piece) => text.push(piece));
    const whole = await stream.finalChatCompletion();
    assert.equal(whole.choices[0]?.message.content, text.join(''));
    assert.equal(whole.choices[0]?.finish_reason, 'stop');
    assert.ok((whole.usage?.total_tokens ?? 0) > 0);
  });

  it('assembles calls of tools from their stream', async () => {
    const stream = client.chat.completions.stream({ ...tools, tools: [...tools.tools], messages: [boston] });
    const { choices } = await stream.finalChatCompletion();
    const cities = (choices[0]?.message.tool_calls ?? []).map((one) => {
      assert.ok(one.type === 'function');
      return [one.function.name, asString(asObject(JSON.parse(one.function.arguments))?.location)?.slice(0, 6)];
    });
    assert.deepEqual(cities, [
      ['get_current_weather', 'Boston'],
      ['get_current_weather', 'Paris'],
    ]);
  });

  it('parses what a schema has shaped', async () => {
    const { choices } = await client.chat.completions.parse({ ...asked, response_format: format });
    assert.deepEqual(choices[0]?.message.parsed, { x: 7 });
    const { output_parsed } = await client.responses.parse({ model: 'gpt-4.1', input: 'A point?', text: textFormat });
    assert.deepEqual(output_parsed, { x: 7 });
  });

  it('unpacks the base64 that it asks embeddings for', async () => {
    const { data } = await client.embeddings.create({ model: 'text-embedding-3-small', input: 'Hi' });
    assert.deepEqual(data[0]?.embedding, [...new Float32Array(numbers)]);
  });

  it('streams completions of text', async () => {
    const stream = await client.completions.create({
      model: 'gpt-3.5-turbo-instruct',
      prompt: 'Say this',
      stream: true,
    });
    const chunks = await Array.fromAsync(stream);
    assert.deepEqual(
      chunks.map(({ choices }) => choices[0]?.text),
      ['This', ' is'],
    );
  });

  it('assembles a response from its stream', async () => {
    const response = await client.responses.stream(thinking).finalResponse();
    const [last] = (replyOf('openai', 'thinking-responses-stream') as JsonObject[]).slice(-1);
    const sent = asObject(last?.response);
    assert.deepEqual([response.id, response.status, response.output_text], [sent?.id, 'completed', 'Hi there!']);
    assert.deepEqual(plain(response.usage), sent?.usage);
  });

  it('retrieves a stored response, whole and as a stream', async () => {
    const stored = await client.responses.retrieve(story, { include: ['reasoning.encrypted_content'] });
    assert.deepEqual(unspoken(stored), replyOf('openai', 'responses-get'));
    const again = await Array.fromAsync(await client.responses.retrieve(story, { stream: true, starting_after: 1 }));
    assert.deepEqual(plain(again), replyOf('openai', 'thinking-responses-stream'));
  });

  it('deletes a response, and lists what went into it', async () => {
    await client.responses.delete(story);
    const items = await Array.fromAsync(client.responses.inputItems.list(story, { limit: 10, order: 'asc' }));
    assert.deepEqual(plain(items), asObject(replyOf('openai', 'responses-input-items'))?.data);
  });

  it('lists models, and deletes one of its own', async () => {
    const models = await Array.fromAsync(client.models.list());
    assert.deepEqual(
      models.map(({ id }) => id),
      asObjects(asObject(replyOf('openai', 'models'))?.data).map(({ id }) => id),
    );
    const path = '/v1/models/ft:gpt-4o-mini:acemeco:suffix:abc123';
    // The route is there also for those who leave the choice of the provider to their config.
    const gone = await world.gateway.openai().models.delete('ft:gpt-4o-mini:acemeco:suffix:abc123');
    assert.deepEqual(plain(gone), { id: 'ft:gpt-4o-mini:acemeco:suffix:abc123', object: 'model', deleted: true });
    const { targets } = await world.gateway.gateway.explain({ method: 'DELETE', path, headers: {} });
    assert.equal(targets[0]?.url, world.vendors.openai?.origin + path);
  });

  it('lists and retrieves stored chats, which have no route of their own', async () => {
    assert.deepEqual(plain((await client.chat.completions.list({ limit: 1 })).data), [chatReply]);
    assert.deepEqual(plain(await client.chat.completions.retrieve('chatcmpl-1')), chatReply);
  });

  it('gets errors of the class that their status has', async () => {
    const limited = client.responses.create({ model: 'gpt-4.1', input: 'Hello!' });
    await assert.rejects(limited, (error) => {
      assert.ok(error instanceof OpenAI.RateLimitError);
      assert.equal(error.type, asObject(asObject(replyOf('openai', 'error-rate-limit'))?.error)?.type);
      return true;
    });
    const wrong = client.chat.completions.create({ model: 'gpt-4.1', messages: [] });
    await assert.rejects(wrong, OpenAI.BadRequestError);
  });
});
