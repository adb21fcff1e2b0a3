import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject, type RequestRecord } from 'portcullis/sdk';
import { guardrailUnits } from '../plugins/guardrails/guarded.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { settledState } from './limits-world.ts';
import type { RouteCall } from './route-call.ts';
import { sharedWorld, until } from './route-world.ts';

noUnhandledRejections();

interface Case {
  readonly what: string;
  readonly path: string;
  readonly json?: JsonObject;
  readonly form?: RouteCall['form'];
  readonly provider?: RouteCall['provider'];
  /** What the provider answers in the place of the usual. */
  readonly reply?: JsonObject;
  /** The same of a stream. */
  readonly events?: readonly JsonObject[];
  readonly usage: JsonObject;
  readonly nanoUsd: number | undefined;
}

const wav = new Blob(['RIFF'], { type: 'audio/wav' });
const document = { type: 'document_url', document_url: 'https://example.com/a.pdf' };
const pictures = [{ b64_json: 'aGk=' }, { b64_json: 'aGk=' }];

const cases: readonly Case[] = [
  {
    what: 'tokens of pictures',
    path: '/v1/images/generations',
    json: { model: 'gpt-image-1', prompt: 'A cat' },
    reply: {
      created: 1,
      data: pictures,
      usage: {
        input_tokens: 60,
        output_tokens: 200,
        total_tokens: 260,
        input_tokens_details: { text_tokens: 50, image_tokens: 10 },
      },
    },
    usage: { input: 60, output: 200, total: 260, imageInput: 10, imageOutput: 200, images: { count: 2 } },
    // 50 at 5 dollars, 10 at 10 and 200 at 40 a million.
    nanoUsd: 250_000 + 100_000 + 8_000_000,
  },
  {
    what: 'pictures by the piece',
    path: '/v1/images/generations',
    json: { model: 'dall-e-3', prompt: 'A cat', quality: 'hd', size: '1024x1024', n: 2 },
    reply: { created: 1, data: pictures },
    usage: { input: 0, output: 0, images: { count: 2, quality: 'hd', size: '1024x1024' } },
    nanoUsd: 160_000_000,
  },
  {
    what: 'characters that were spoken',
    path: '/v1/audio/speech',
    json: { model: 'tts-1', voice: 'alloy', input: 'x'.repeat(2000) },
    usage: { input: 0, output: 0, serverTools: { input_characters: 2000 } },
    nanoUsd: 30_000_000,
  },
  {
    what: 'characters, where nobody knows what they cost,',
    path: '/v1/audio/speech',
    json: { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello' },
    usage: { input: 0, output: 0, serverTools: { input_characters: 5 } },
    nanoUsd: undefined,
  },
  {
    what: 'tokens that were spoken',
    path: '/v1/audio/speech',
    json: { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello', stream_format: 'sse' },
    events: [
      { type: 'speech.audio.delta', audio: 'aGk=' },
      { type: 'speech.audio.done', usage: { input_tokens: 10, output_tokens: 100, total_tokens: 110 } },
    ],
    usage: { input: 10, output: 100, total: 110, audioOutput: 100 },
    // 10 at 0.60 dollars and 100 at 12 a million.
    nanoUsd: 6_000 + 1_200_000,
  },
  {
    what: 'seconds of sound',
    path: '/v1/audio/transcriptions',
    form: { model: 'whisper-1', file: wav },
    reply: { text: 'Hello.', usage: { type: 'duration', seconds: 90 } },
    usage: { input: 0, output: 0, serverTools: { audio_seconds: 90 } },
    nanoUsd: 9_000_000,
  },
  {
    what: 'tokens of sound',
    path: '/v1/audio/transcriptions',
    form: { model: 'gpt-4o-transcribe', file: wav },
    reply: {
      text: 'Hello.',
      usage: {
        type: 'tokens',
        input_tokens: 110,
        output_tokens: 20,
        total_tokens: 130,
        input_token_details: { text_tokens: 10, audio_tokens: 100 },
      },
    },
    usage: { input: 110, output: 20, total: 130, audioInput: 100 },
    // 10 at 2.50 dollars, 100 at 6 and 20 at 10 a million.
    nanoUsd: 25_000 + 600_000 + 200_000,
  },
  {
    what: 'pages that were read',
    path: '/v1/ocr',
    provider: 'reads',
    json: { model: 'mistral-ocr-latest', document },
    reply: { model: 'mistral-ocr-latest', pages: [], usage_info: { pages_processed: 3 } },
    usage: { input: 0, output: 0, serverTools: { ocr_pages: 3 } },
    nanoUsd: 12_000_000,
  },
  {
    what: 'searches',
    path: '/v1/rerank',
    provider: 'ranks',
    json: { model: 'rerank-v3.5', query: 'x', documents: ['a'] },
    usage: { input: 0, output: 0, serverTools: { search_units: 1 } },
    nanoUsd: 2_000_000,
  },
  {
    what: 'tokens of inputs',
    path: '/v1/embeddings',
    json: { model: 'text-embedding-3-small', input: 'x' },
    reply: {
      object: 'list',
      model: 'text-embedding-3-small',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 1000, total_tokens: 1000 },
    },
    usage: { input: 1000, output: 0, total: 1000 },
    nanoUsd: 20_000,
  },
];

const config = {
  pluginFolders: [{ path: guardrailUnits, trust: 'trusted' as const, requireSignature: false }],
  phases: { log: [{ plugin: 'test-watch' }] },
};

describe('what a call has used is in its record, is priced, and counts under a budget:', () => {
  const started = sharedWorld({ config });

  for (const { what, path, json, form, provider = 'prod', reply, events, usage, nanoUsd } of cases) {
    it(what, async () => {
      const world = await started();
      const { id, key } = await world.control.ok('POST', '/v1/api-keys/workspace/service', {
        body: {
          name: 'caller',
          workspace_id: world.own,
          scopes: ['completions.write'],
          usage_limits: { type: 'cost', credit_limit: 1 },
        },
      });
      if (reply !== undefined) world.upstream.answers(path.slice('/v1'.length), reply);
      if (events !== undefined) {
        const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
        world.upstream.answers(path.slice('/v1'.length), stream, 'text/event-stream');
      }
      const body = { ...(json === undefined ? {} : { json }), ...(form === undefined ? {} : { form }) };
      const call: RouteCall = { method: 'POST', path, about: what, provider, finds: 'nothing', spends: true, ...body };
      const sent = await world.send(call, String(key));
      assert.equal(sent.status, 200, sent.text);
      const requestId = sent.headers.get('x-gw-request-id');
      let record: RequestRecord | undefined;
      await until(() => {
        const records = world.control.log.filter(({ event }) => event === 'record').map(({ fields }) => fields.record);
        record = records.find((one) => asObject(one)?.id === requestId) as unknown as RequestRecord | undefined;
        return record !== undefined;
      });
      assert.deepEqual([record?.usage, record?.cost?.nanoUsd], [usage, nanoUsd]);
      const used = await settledState(world, { name: `budget/key/${String(id)}/cost`, start: 0, durable: true });
      // Where nobody knows, what was expected is the best that there is.
      if (nanoUsd === undefined) assert.ok(used > 0);
      else assert.equal(used, nanoUsd);
    });
  }
});
