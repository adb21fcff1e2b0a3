import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { replyOf, route, routesOf } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==',
  'base64',
);
const silence = Buffer.from('UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA', 'base64');
const picture = (name: string) => toFile(pixel, name, { type: 'image/png' });
const wave = () => toFile(silence, 'a.wav', { type: 'audio/wav' });
const wavePart = { name: 'file', filename: 'a.wav', type: 'audio/wav', bytes: silence };

const otter = {
  model: 'gpt-image-1.5',
  prompt: 'A cute baby sea otter',
  n: 1,
  size: '1024x1024',
  background: 'transparent',
  output_format: 'png',
  moderation: 'low',
} as const;
const fox = {
  model: 'gpt-4o-mini-tts',
  input: 'The quick brown fox jumped over the lazy dog.',
  voice: 'alloy',
} as const;
const basket = async () => ({
  model: 'gpt-image-1.5',
  prompt: 'A gift basket',
  image: [await picture('soap.png'), await picture('bomb.png')],
});

const verbose = {
  task: 'transcribe',
  language: 'english',
  duration: 8.47,
  text: 'The beach was a popular spot.',
  words: [{ word: 'The', start: 0, end: 0.23 }],
  usage: { type: 'duration', seconds: 9 },
};

const routes = [
  ...routesOf('openai', ['image', 'image-stream', 'image-edit', 'image-edit-stream', 'image-variation']),
  ...routesOf('openai', ['speech', 'speech-stream']),
  ...routesOf('openai', ['transcription', 'transcription-srt', 'transcription-stream', 'translation']),
  route('POST', '/v1/audio/transcriptions', verbose, {
    form: [
      { name: 'model', value: 'whisper-1' },
      { name: 'response_format', value: 'verbose_json' },
      { name: 'timestamp_granularities[]', value: 'word' },
      wavePart,
    ],
  }),
  route('POST', '/v1/audio/transcriptions', 'The beach was a popular spot.\n', {
    form: [{ name: 'model', value: 'whisper-1' }, { name: 'response_format', value: 'text' }, wavePart],
    type: 'text/plain; charset=utf-8',
  }),
];

/** What the client gets by each call; the name is that of the fixture that holds the answer. */
const calls: Readonly<Record<string, (client: OpenAI) => Promise<unknown>>> = {
  image: ({ images }) => images.generate(otter),
  'image-stream': async ({ images }) =>
    Array.fromAsync(await images.generate({ ...otter, stream: true, partial_images: 1 })),
  'image-edit': async ({ images }) => images.edit(await basket()),
  'image-edit-stream': async ({ images }) => Array.fromAsync(await images.edit({ ...(await basket()), stream: true })),
  'image-variation': async ({ images }) =>
    images.createVariation({ n: 2, size: '1024x1024', image: await picture('otter.png') }),
  transcription: async ({ audio }) => audio.transcriptions.create({ model: 'gpt-4o-transcribe', file: await wave() }),
  'transcription-srt': async ({ audio }) =>
    audio.transcriptions.create({ model: 'whisper-1', response_format: 'srt', file: await wave() }),
  'transcription-stream': async ({ audio }) =>
    Array.fromAsync(
      await audio.transcriptions.create({ model: 'gpt-4o-mini-transcribe', stream: true, file: await wave() }),
    ),
  translation: async ({ audio }) => audio.translations.create({ model: 'whisper-1', file: await wave() }),
  speech: async ({ audio }) => Buffer.from(await (await audio.speech.create(fox)).arrayBuffer()).toString('latin1'),
};

describe('the openai SDK, with pictures and sound', () => {
  const scope = suiteScope();
  let client: OpenAI;
  before(async () => {
    client = (await openRecorded(scope, { openai: routes })).gateway.openai();
  });

  for (const [name, call] of Object.entries(calls)) {
    it(`gets the recorded ${name}`, async () => {
      assert.deepEqual(plain(await call(client)), replyOf('openai', name));
    });
  }

  it('says in which form sound comes, and streams it as events', async () => {
    const sound = await client.audio.speech.create(fox);
    assert.equal(sound.headers.get('content-type'), 'audio/mpeg');
    const streamed = await client.audio.speech.create({ ...fox, stream_format: 'sse' });
    assert.match(streamed.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.match(await streamed.text(), /speech\.audio\.done/);
  });

  it('gets transcripts with words and as bare text', async () => {
    const told = await client.audio.transcriptions.create({
      model: 'whisper-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
      file: await wave(),
    });
    assert.deepEqual(plain(told), verbose);
    const bare = await client.audio.transcriptions.create({
      model: 'whisper-1',
      response_format: 'text',
      file: await wave(),
    });
    assert.equal(bare, 'The beach was a popular spot.\n');
  });

  it('is told what a form lacks', async () => {
    const wrong = client.images.edit({ prompt: 'Nothing', image: [] });
    await assert.rejects(wrong, (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.match(error.message, /image/);
      return true;
    });
  });
});
