import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import Anthropic, { toFile } from '@anthropic-ai/sdk';
import { asObject, asObjects } from 'portcullis/sdk';
import { saved } from '../support/gateway.ts';
import { answerOf, callOf, events, replyOf, route, routesOf, saying } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { recordedStream } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

type Whole = Anthropic.MessageCreateParamsNonStreaming;

/** The SDK warns of models that come to their end, as that of the fixtures does. */
const model = 'claude-test';
const hello = { model, max_tokens: 1024, messages: [{ role: 'user', content: 'Hello, Claude' }] } as const;
const asked = (text: string): Whole => ({ model, max_tokens: 16, messages: [{ role: 'user', content: text }] });
const body = (text: string) => asObject(plain(asked(text))) ?? {};
const fileId = 'file_011CNha8iCJcU1wXNR6q4V8w';
const pdf = { name: 'file', filename: 'document.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.4') };
const fileAnswer = asObject(answerOf('anthropic', 'file-get')) ?? assert.fail('no file');
const modelsAnswer = asObject(answerOf('anthropic', 'models')) ?? assert.fail('no models');

const weather = {
  name: 'get_weather',
  description: 'The weather of a place',
  input_schema: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
} as const;
const called = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { location: 'Paris' } }],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 6 },
};

/** https://platform.claude.com/docs/en/api/errors */
const failures = [
  [400, 'invalid_request_error', Anthropic.BadRequestError],
  [401, 'authentication_error', Anthropic.AuthenticationError],
  [403, 'permission_error', Anthropic.PermissionDeniedError],
  [404, 'not_found_error', Anthropic.NotFoundError],
  [429, 'rate_limit_error', Anthropic.RateLimitError],
  [500, 'api_error', Anthropic.InternalServerError],
  [529, 'overloaded_error', Anthropic.InternalServerError],
] as const;
const failure = (type: string) => ({ type: 'error', error: { type, message: `It is ${type}.` }, request_id: 'req_1' });

/** https://platform.claude.com/docs/en/api/creating-message-batches */
const batch = {
  id: 'msgbatch_1',
  type: 'message_batch',
  processing_status: 'in_progress',
  request_counts: { processing: 1, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  ended_at: null,
  created_at: '2024-08-20T18:37:24.100435Z',
  expires_at: '2024-08-21T18:37:24.100435Z',
  archived_at: null,
  cancel_initiated_at: null,
  results_url: null,
};

const routes = [
  route('POST', '/v1/messages/batches', batch, { body: { requests: [{ custom_id: 'one', params: body('Hi') }] } }),
  route('GET', '/v1/messages/batches/msgbatch_1', batch),
  route('GET', '/v1/messages/batches?limit=1', { data: [batch], has_more: false, first_id: null, last_id: null }),
  ...saying({ model }, routesOf('anthropic', ['messages', 'messages-stream', 'count-tokens', 'models'])),
  ...routesOf('anthropic', ['file-get', 'file-delete', 'file-content']),
  ...failures.map(([status, type]) => route('POST', '/v1/messages', failure(type), { body: body(type), status })),
  route('POST', '/v1/messages', events({ type: 'error', error: failure('overloaded_error').error }), {
    body: { ...body('late'), stream: true },
  }),
  route('POST', '/v1/messages', recordedStream('messages', 'thinking').join(''), {
    body: { ...body('Think.'), max_tokens: 20_000, thinking: { type: 'adaptive' }, stream: true },
  }),
  route('POST', '/v1/messages', called, { body: { ...body('Weather?'), tools: [weather] } }),
  route('GET', '/v1/models', modelsAnswer),
  ...asObjects(modelsAnswer.data).map((model) => route('GET', `/v1/models/${String(model.id)}`, model)),
  route('GET', '/v1/files', { data: [fileAnswer], first_id: fileId, last_id: fileId, has_more: false }),
  route('POST', '/v1/files', fileAnswer, { form: [pdf] }),
];

const listed = saved('anthropic', 'https://api.anthropic.com/v1', undefined, ['a', 'b', 'c']);

describe('the anthropic SDK', () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  let client: Anthropic;
  before(async () => {
    world = await openRecorded(scope, { anthropic: routes }, { providers: { listed } });
    client = world.gateway.anthropic({ 'x-gw-provider': '@anthropic' });
  });

  it('gets a message', async () => {
    assert.deepEqual(
      plain(await client.messages.create({ ...callOf<Whole>('anthropic', 'messages'), model })),
      replyOf('anthropic', 'messages'),
    );
  });

  it('gets a stream as it is, and assembles it', async () => {
    const stream = await client.messages.create({ ...hello, messages: [...hello.messages], stream: true });
    const types = (await Array.fromAsync(stream)).map(({ type }) => type);
    const sent = asObjects(answerOf('anthropic', 'messages-stream')).map(({ type }) => type);
    assert.deepEqual(
      types,
      sent.filter((type) => type !== 'ping'),
    );
    const whole = await client.messages.stream({ ...hello, messages: [...hello.messages] }).finalMessage();
    assert.deepEqual([whole.role, whole.stop_reason], ['assistant', 'end_turn']);
  });

  it('assembles thinking from its stream', async () => {
    const thinking = { type: 'adaptive' } as const;
    const thought = client.messages.stream({ ...asked('Think.'), max_tokens: 20_000, thinking });
    const heard: string[] = [];
    thought.on('thinking', (delta) => heard.push(delta));
    const [first] = (await thought.finalMessage()).content;
    assert.ok(first?.type === 'thinking');
    assert.equal(first.thinking, heard.join(''));
    assert.notEqual(first.signature, '');
  });

  it('calls tools', async () => {
    const answer = await client.messages.create({
      ...asked('Weather?'),
      tools: [{ ...weather, input_schema: { ...weather.input_schema, required: ['location'] } }],
    });
    assert.deepEqual(plain(answer.content), called.content);
    assert.equal(answer.stop_reason, 'tool_use');
  });

  it('names the betas that it wants', async () => {
    const { content } = await client.beta.messages.create({
      ...asked('Weather?'),
      tools: [weather],
      betas: ['b-1', 'b-2'],
    });
    assert.deepEqual(plain(content), called.content);
    assert.equal(world.vendors.anthropic?.requests.at(-1)?.headers['anthropic-beta'], 'b-1,b-2');
  });

  it('keeps batches of messages, which have no route of their own', async () => {
    const { batches } = client.messages;
    const requests = [{ custom_id: 'one', params: asked('Hi') }];
    assert.deepEqual(plain(await batches.create({ requests })), batch);
    assert.deepEqual(plain(await batches.retrieve('msgbatch_1')), batch);
    assert.deepEqual(plain(await Array.fromAsync(batches.list({ limit: 1 }))), [batch]);
  });

  it('counts tokens', async () => {
    const counted = await client.messages.countTokens({
      ...callOf<Anthropic.MessageCountTokensParams>('anthropic', 'count-tokens'),
      model,
    });
    assert.equal(counted.input_tokens, 14);
  });

  it('sees models in the form of its vendor', async () => {
    assert.deepEqual(plain(await Array.fromAsync(client.models.list())), modelsAnswer.data);
    const [first] = asObjects(modelsAnswer.data);
    assert.deepEqual(plain(await client.models.retrieve(String(first?.id))), first);
  });

  it('pages through models of the gateway, from both ends', async () => {
    const own = world.gateway.anthropic();
    const pages = await Array.fromAsync((await own.models.list({ limit: 2 })).iterPages());
    assert.deepEqual(
      pages.map(({ data, has_more }) => [data.map(({ id }) => id), has_more]),
      [
        [['@listed/a', '@listed/b'], true],
        [['@listed/c'], false],
      ],
    );
    const before = await own.models.list({ limit: 1, before_id: '@listed/c' });
    assert.deepEqual([before.first_id, before.last_id, before.has_more], ['@listed/b', '@listed/b', true]);
    const model = { type: 'model', id: '@listed/b', display_name: '@listed/b', created_at: '1970-01-01T00:00:00.000Z' };
    assert.deepEqual(plain(await own.models.retrieve('@listed/b')), model);
    await assert.rejects(own.models.list({ limit: 1001 }), (error) => {
      assert.ok(error instanceof Anthropic.BadRequestError);
      assert.deepEqual([error.type, /limit must be/.test(error.message)], ['invalid_request_error', true]);
      return true;
    });
    await assert.rejects(own.models.list({ after_id: 'none' }), /after_id must be the id of a model/);
  });

  for (const [status, type, kind] of failures) {
    it(`gets a ${kind.name} for ${status}`, async () => {
      await assert.rejects(client.messages.create(asked(type)), (error) => {
        assert.ok(error instanceof kind, String(error));
        assert.equal(error.status, status);
        assert.equal(error.type, type);
        assert.match(error.message, new RegExp(`It is ${type}`));
        return true;
      });
    });
  }

  it('gets an error that comes within a stream', async () => {
    await assert.rejects(client.messages.stream(asked('late')).finalMessage(), (error) => {
      assert.ok(error instanceof Anthropic.APIError);
      assert.match(error.message, /overloaded_error/);
      return true;
    });
  });

  it('gets refusals of the gateway in the same form', async () => {
    const lost = world.gateway.anthropic({ 'x-gw-provider': '@nobody' });
    await assert.rejects(lost.messages.create(asked('Hi')), (error) => {
      assert.ok(error instanceof Anthropic.BadRequestError);
      assert.equal(error.type, 'invalid_request_error');
      return true;
    });
  });

  it('keeps files and lists models in their own form through the proxy route', async () => {
    const native = new Anthropic({
      apiKey: 'portcullis',
      baseURL: `${world.gateway.url}/v1/proxy`,
      maxRetries: 0,
      defaultHeaders: { 'x-gw-provider': '@anthropic' },
    });
    const { files, models } = native;
    assert.deepEqual(plain(await Array.fromAsync(models.list())), modelsAnswer.data);
    const file = await toFile(pdf.bytes, pdf.filename, { type: pdf.type });
    assert.deepEqual(plain(await files.upload({ file })), fileAnswer);
    assert.deepEqual(plain(await Array.fromAsync(files.list())), [fileAnswer]);
    assert.deepEqual(plain(await files.retrieveMetadata(fileId)), fileAnswer);
    const content = await files.download(fileId);
    assert.equal(Buffer.from(await content.arrayBuffer()).toString('latin1'), replyOf('anthropic', 'file-content'));
    assert.equal((await files.delete(fileId)).id, fileId);
    assert.equal(
      (await native.messages.create({ ...callOf<Whole>('anthropic', 'messages'), model })).stop_reason,
      'end_turn',
    );
    for (const { headers } of world.vendors.anthropic?.requests ?? []) assert.equal(headers.authorization, undefined);
  });
});
