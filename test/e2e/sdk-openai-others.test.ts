import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import OpenAI from 'openai';
import { asObject, asObjects, type JsonObject, omit } from 'portcullis/sdk';
import { callOf, replyOf, routesOf } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

type Chat = OpenAI.ChatCompletionCreateParamsNonStreaming;

const chats = { anthropic: ['chat', 'tools'], google: ['chat'], cohere: ['chat', 'tools'] } as const;
const streams = { anthropic: 'stream', google: 'stream', cohere: 'stream' } as const;
const routes = {
  anthropic: routesOf('anthropic', [...chats.anthropic, 'stream', 'error', 'models']),
  google: routesOf('google', [
    ...chats.google,
    'stream',
    'embed',
    'embed-base64',
    'image-gemini',
    'speech',
    'files-get',
    'batches-get',
    'error-quota',
  ]),
  cohere: routesOf('cohere', [...chats.cohere, 'stream', 'embed', 'embed-base64', 'rerank', 'error']),
  jina: routesOf('jina', ['rerank', 'embed-base64']),
  voyage: routesOf('voyage', ['rerank', 'embed']),
};

/** Names and times of an answer are made by the gateway where the vendor tells none. */
const told = (reply: unknown): unknown => omit(asObject(plain(reply)) ?? {}, new Set(['id', 'created']));

describe('the openai SDK, with vendors of other formats', () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  const client = (vendor: string) => world.gateway.openai({ 'x-gw-provider': `@${vendor}` });
  before(async () => {
    world = await openRecorded(scope, routes);
  });

  for (const [vendor, names] of Object.entries(chats)) {
    for (const name of names) {
      it(`gets a ${name} of ${vendor}`, async () => {
        const completion = await client(vendor).chat.completions.create(callOf<Chat>(vendor, name));
        assert.deepEqual(told(completion), told(replyOf(vendor, name)));
      });
    }
  }

  for (const [vendor, name] of Object.entries(streams)) {
    it(`assembles the stream of ${vendor}`, async () => {
      const { stream: _, ...body } = callOf<OpenAI.ChatCompletionCreateParamsStreaming>(vendor, name);
      const whole = await client(vendor).chat.completions.stream(body).finalChatCompletion();
      const chunks = asObjects(replyOf(vendor, name));
      const choices = chunks.flatMap((chunk) => asObjects(chunk.choices));
      const said = choices.map(({ delta }) => asObject(delta)?.content ?? '').join('');
      assert.notEqual(said, '');
      assert.equal(whole.choices[0]?.message.content, said);
      assert.equal(whole.choices[0]?.finish_reason, 'stop');
      assert.deepEqual(plain(whole.usage), chunks.at(-1)?.usage);
    });
  }

  for (const vendor of ['google', 'cohere', 'voyage']) {
    it(`gets embeddings of ${vendor} as numbers`, async () => {
      const numbers = await client(vendor).embeddings.create({
        encoding_format: 'float',
        ...callOf<OpenAI.EmbeddingCreateParams>(vendor, 'embed'),
      });
      assert.deepEqual(plain(numbers), replyOf(vendor, 'embed'));
    });
  }

  for (const vendor of ['google', 'cohere', 'jina']) {
    it(`unpacks the base64 that it asks ${vendor} for by itself`, async () => {
      const { encoding_format: _, ...body } = callOf<OpenAI.EmbeddingCreateParams>(vendor, 'embed-base64');
      const { data } = await client(vendor).embeddings.create(body);
      const packed = asObjects(asObject(replyOf(vendor, 'embed-base64'))?.data).map(({ embedding }) => embedding);
      const again = data.map(({ embedding }) => Buffer.from(new Float32Array(embedding).buffer).toString('base64'));
      assert.deepEqual(again, packed);
    });
  }

  for (const vendor of ['cohere', 'jina', 'voyage']) {
    it(`reranks with ${vendor} by a call of its own`, async () => {
      const answer = await client(vendor).post<JsonObject>('/rerank', { body: callOf<JsonObject>(vendor, 'rerank') });
      assert.deepEqual(told(answer), told(replyOf(vendor, 'rerank')));
    });
  }

  it('gets pictures, sound, files and batches of google', async () => {
    const { images, audio, files, batches } = client('google');
    const picture = await images.generate(callOf<OpenAI.ImageGenerateParamsNonStreaming>('google', 'image-gemini'));
    assert.deepEqual(told(picture), told(replyOf('google', 'image-gemini')));
    const sound = await audio.speech.create(callOf<OpenAI.Audio.SpeechCreateParams>('google', 'speech'));
    assert.equal(Buffer.from(await sound.arrayBuffer()).toString('latin1'), replyOf('google', 'speech'));
    assert.deepEqual(plain(await files.retrieve('abc-123')), replyOf('google', 'files-get'));
    assert.deepEqual(plain(await batches.retrieve('b1')), replyOf('google', 'batches-get'));
  });

  it('lists the models of anthropic', async () => {
    const models = await Array.fromAsync(client('anthropic').models.list());
    assert.deepEqual(plain(models), asObject(replyOf('anthropic', 'models'))?.data);
  });

  it('gets errors of the class that their status has', async () => {
    const failing = [
      ['google', 'error-quota', OpenAI.RateLimitError],
      ['anthropic', 'error', OpenAI.AuthenticationError],
      ['cohere', 'error', OpenAI.NotFoundError],
    ] as const;
    for (const [vendor, name, type] of failing) {
      const body = callOf<Chat>(vendor, name);
      await assert.rejects(client(vendor).chat.completions.create(body), (error) => {
        assert.ok(error instanceof type, `${vendor}: ${String(error)}`);
        assert.deepEqual(plain(error.error), asObject(replyOf(vendor, name))?.error);
        return true;
      });
    }
  });
});
