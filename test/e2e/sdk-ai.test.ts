import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import {
  APICallError,
  embedMany,
  generateImage,
  generateObject,
  generateSpeech,
  generateText,
  jsonSchema,
  type LanguageModel,
  stepCountIs,
  streamText,
  tool,
  transcribe,
} from 'ai';
import { asObject, asString, type JsonObject } from 'portcullis/sdk';
import { expectedOf } from '../support/expected.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { Peer } from '../support/peer.ts';
import { answerOf, route } from '../support/recorded-routes/cases.ts';
import { openRecorded } from '../support/recorded-routes/world.ts';
import { recordedReply, type WireDialect } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';
import { openMatrix } from './wire-matrix.ts';

noUnhandledRejections();

globalThis.AI_SDK_LOG_WARNINGS = false;
const maxRetries = 0;
/** Otherwise this SDK refers to what it has said by names, which only a vendor that keeps answers can resolve. */
const unstored = { openai: { store: false } };
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';
const silence = Buffer.from('UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA', 'base64');

/** Each way of this SDK to ask, and the wire formats it is asked with: its own, and one that is translated. */
const asking: readonly (readonly [string, WireDialect, (gateway: TestGateway) => LanguageModel])[] = [
  ['openai, by default', 'responses', (gateway) => openai(gateway, 'responses')('model-1')],
  ['openai, by default', 'messages', (gateway) => openai(gateway, 'messages')('model-1')],
  ['openai.chat', 'chat', (gateway) => openai(gateway, 'chat').chat('model-1')],
  ['openai.chat', 'gemini', (gateway) => openai(gateway, 'gemini').chat('model-1')],
  ['anthropic', 'messages', (gateway) => anthropic(gateway, 'messages')('model-1')],
  ['anthropic', 'chat', (gateway) => anthropic(gateway, 'chat')('model-1')],
];

function openai({ url }: TestGateway, provider: string) {
  return createOpenAI({ apiKey: 'portcullis', baseURL: `${url}/v1`, headers: { 'x-gw-provider': `@${provider}` } });
}
function anthropic({ url }: TestGateway, provider: string) {
  return createAnthropic({ apiKey: 'portcullis', baseURL: `${url}/v1`, headers: { 'x-gw-provider': `@${provider}` } });
}

const place = jsonSchema<{ location: string }>({
  type: 'object',
  properties: { location: { type: 'string' } },
  required: ['location'],
  additionalProperties: false,
});

/** The recorded text of a wire format with other words. */
function instead(wire: WireDialect, words: string): JsonObject {
  const said = expectedOf(wire, 'text', false).text;
  const whole = JSON.parse(recordedReply(wire, 'text'), (_, value: unknown) => (value === said ? words : value));
  return asObject(whole) ?? assert.fail('no reply');
}

describe('the ai SDK', () => {
  const scope = suiteScope();
  let peer: Peer;
  let gateway: TestGateway;
  before(async () => {
    ({ peer, gateway } = await openMatrix(scope));
  });

  for (const [way, wire, modelOf] of asking) {
    describe(`${way}, at a ${wire} vendor`, () => {
      it('generates text', async () => {
        const { text, usage, finishReason } = await generateText({
          model: modelOf(gateway),
          prompt: 'Hello',
          maxRetries,
        });
        const expected = expectedOf(wire, 'text', false);
        assert.deepEqual([text, finishReason], [expected.text, 'stop']);
        assert.deepEqual([usage.inputTokens, usage.outputTokens], [expected.input, expected.output]);
      });

      it('streams text', async () => {
        const stream = streamText({ model: modelOf(gateway), prompt: 'Hello', maxRetries, onError: () => {} });
        const pieces = await Array.fromAsync(stream.textStream);
        const expected = expectedOf(wire, 'text', true);
        assert.equal(pieces.join(''), expected.text);
        assert.equal(await stream.finishReason, 'stop');
        assert.equal((await stream.usage).outputTokens, expected.output);
      });

      it('calls tools and goes on with what they say', async () => {
        const called: string[] = [];
        const weather = tool({
          inputSchema: place,
          execute: ({ location }) => {
            called.push(location);
            return '21 degrees';
          },
        });
        const names = new Set(expectedOf(wire, 'tools', false).calls.map(({ name }) => name));
        const tools = Object.fromEntries([...names].map((name) => [name, weather]));
        const model = modelOf(gateway);
        const { text, steps } = await generateText({
          model,
          prompt: 'Weather?',
          tools,
          stopWhen: stepCountIs(2),
          maxRetries,
          ...(way.startsWith('openai, ') && wire !== 'responses' ? { providerOptions: unstored } : {}),
        });
        assert.deepEqual(
          called,
          expectedOf(wire, 'tools', false).calls.map((call) => asObject(call.arguments)?.location),
        );
        assert.equal(text, expectedOf(wire, 'text', false).text);
        assert.equal(steps.length, 2);
      });

      it('generates an object', async () => {
        peer.next({ body: instead(wire, '{"location":"Paris"}') });
        const { object } = await generateObject({
          model: modelOf(gateway),
          schema: place,
          prompt: 'Where?',
          maxRetries,
        });
        assert.deepEqual(object, { location: 'Paris' });
      });

      it('gets errors with their status', async () => {
        const answer = { error: { type: 'rate_limit_error', message: 'Slow down.' } };
        peer.next({ status: 429, body: answer });
        const failing = generateText({ model: modelOf(gateway), prompt: 'Hello', maxRetries });
        await assert.rejects(failing, (error) => {
          assert.ok(APICallError.isInstance(error), String(error));
          assert.equal(error.statusCode, 429);
          assert.match(error.message, /Slow down/);
          return true;
        });
      });
    });
  }
});

describe('the ai SDK, when it refers to what was said', () => {
  const scope = suiteScope();

  it('is told that only the vendor that keeps an item can read it', async () => {
    const { gateway } = await openMatrix(scope);
    const model = openai(gateway, 'messages')('model-1');
    const name = expectedOf('messages', 'tools', false).calls[0]?.name ?? '';
    const tools = { [name]: tool({ inputSchema: place, execute: () => '21 degrees' }) };
    const failing = generateText({ model, prompt: 'Weather?', tools, stopWhen: stepCountIs(2), maxRetries });
    await assert.rejects(failing, (error) => {
      assert.ok(APICallError.isInstance(error), String(error));
      assert.equal(error.statusCode, 400);
      assert.match(error.message, /item_reference/);
      return true;
    });
  });
});

const vectors = [
  [0.5, -0.25],
  [1, 0],
];
const routes = [
  route(
    'POST',
    '/v1/embeddings',
    {
      object: 'list',
      data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 4, total_tokens: 4 },
    },
    { body: { model: 'text-embedding-3-small', input: ['Hi', 'Ho'], encoding_format: 'float' } },
  ),
  route('POST', '/v1/images/generations', answerOf('openai', 'image'), {
    body: { model: 'gpt-image-1.5', prompt: 'A cat', n: 1, size: '1024x1024' },
  }),
  route('POST', '/v1/audio/speech', 'RIFF', {
    body: { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'alloy', response_format: 'mp3' },
    type: 'audio/mpeg',
  }),
  route('POST', '/v1/audio/transcriptions', answerOf('openai', 'transcription'), {
    form: [
      { name: 'model', value: 'gpt-4o-transcribe' },
      { name: 'file', filename: 'audio.wav', type: 'audio/wav', bytes: silence },
    ],
  }),
];

describe('the ai SDK, with vectors, pictures and sound', () => {
  const scope = suiteScope();
  let provider: ReturnType<typeof createOpenAI>;
  before(async () => {
    provider = openai((await openRecorded(scope, { openai: routes })).gateway, 'openai');
  });

  it('embeds many texts at once', async () => {
    const model = provider.embedding('text-embedding-3-small');
    const { embeddings, usage } = await embedMany({ model, values: ['Hi', 'Ho'], maxRetries });
    assert.deepEqual(embeddings, vectors);
    assert.equal(usage.tokens, 4);
  });

  it('generates a picture', async () => {
    const model = provider.image('gpt-image-1.5');
    const { image } = await generateImage({ model, prompt: 'A cat', size: '1024x1024', maxRetries });
    assert.equal(image.base64, pixel);
  });

  it('speaks', async () => {
    const model = provider.speech('gpt-4o-mini-tts');
    const { audio } = await generateSpeech({ model, text: 'Hello', voice: 'alloy', maxRetries });
    assert.equal(Buffer.from(audio.uint8Array).toString(), 'RIFF');
  });

  it('transcribes', async () => {
    const model = provider.transcription('gpt-4o-transcribe');
    const { text } = await transcribe({ model, audio: silence, maxRetries });
    assert.equal(text, asString(asObject(answerOf('openai', 'transcription'))?.text));
  });
});
