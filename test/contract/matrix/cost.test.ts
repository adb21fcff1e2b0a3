import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startRecordedServer } from 'portcullis/sdk/testing';
import { suiteScope } from '../../e2e/suite-scope.ts';
import { type Guarded, guarded } from '../../plugins/guardrails/guarded.ts';
import { cells } from './cells.ts';
import { askingOf } from './replay.ts';

/** In cents; a cent is ten million nano-USD. */
const price: JsonObject = {
  request_token: 0.001,
  response_token: 0.002,
  cache_read_input_token: 0.0001,
  cache_write_input_token: 0.00125,
  request_audio_token: 0.006,
  response_audio_token: 0.004,
  request_image_token: 0.003,
  response_image_token: 0.005,
  image: { default: { default: 4 } },
  additional_units: { input_characters: 0.0015, audio_seconds: 0.01, ocr_pages: 0.1, search_units: 0.2 },
};

/** In nano-USD, worked out by hand from the tokens, pictures and units that the recorded answer tells. */
const expected: Readonly<Record<string, number>> = {
  // 9 in, 10 out
  '302ai: chat': 9 * 10_000 + 10 * 20_000,
  // 12 in, 38 out, of which thinking has no price of its own
  'byteplus: stream': 12 * 10_000 + 38 * 20_000,
  'cerebras: complete': 8 * 10_000 + 3 * 20_000,
  // 50 new, 248 written to the cache, 1,800 read from it, 5 out
  'anthropic: chat': 50 * 10_000 + 248 * 12_500 + 1_800 * 1_000 + 5 * 20_000,
  'anthropic: messages-stream': 25 * 10_000 + 15 * 20_000,
  'groq: responses': 82 * 10_000 + 266 * 20_000,
  'openai: thinking-responses-stream': 37 * 10_000 + 11 * 20_000,
  // 8 written and 60 thought
  'google: thinking': 10 * 10_000 + 68 * 20_000,
  'google: stream': 8 * 10_000 + 11 * 20_000,
  'bedrock: tools': 400 * 10_000 + 60 * 20_000,
  'bedrock: stream': 12 * 10_000 + 30 * 20_000,
  'bedrock: messages': 8 * 10_000 + 5 * 20_000,
  // 71 in, 64 of them out of the cache, and 5 are billed
  'cohere: chat': 5 * 10_000 + 26 * 20_000,
  '302ai: embed': 8 * 10_000,
  'cohere: embed': 2 * 10_000,
  // One picture, of which no tokens are told
  '302ai: image': 40_000_000,
  // 10 of text and 40 of pictures in, 50 of a picture out
  'openai: image-stream': 10 * 10_000 + 40 * 30_000 + 50 * 50_000,
  'azure-openai: image': 10 * 10_000 + 40 * 30_000 + 50 * 50_000,
  // Five characters
  '302ai: speech': 5 * 15_000,
  // 3 in, 20 of sound out
  'google: speech': 3 * 10_000 + 20 * 40_000,
  // 14 of sound in, 45 out
  'openai: transcription': 14 * 60_000 + 45 * 20_000,
  'ovhcloud: transcription': 4 * 100_000,
  // 203 seconds of sound, 4 of text in, 635 out
  'mistral-ai: transcription': 203 * 100_000 + 4 * 10_000 + 635 * 20_000,
  'zhipu: ocr': 2 * 1_000_000,
  'cohere: rerank': 2_000_000,
  'jina: rerank': 38 * 10_000,
};

const samples = cells.filter(({ recorded }) => expected[recorded.title] !== undefined);

/** The same price for the model of every sample. */
function prices(): JsonObject {
  const byProvider = Map.groupBy(samples, ({ unit }) => unit.name);
  return Object.fromEntries(
    [...byProvider].map(([provider, own]) => {
      const models = own.map(({ built }) => [built.outbound.facts.model, [price]] as const);
      return [provider, { models: Object.fromEntries(models) }];
    }),
  );
}

describe('what a recorded answer costs', () => {
  const scope = suiteScope();
  let gateway: Guarded;
  let asked = 0;

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-matrix-'));
    after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'prices.json');
    writeFileSync(file, JSON.stringify(prices()));
    gateway = await guarded(scope, {}, { env: (name) => (name === 'MODEL_PRICING_PATH' ? file : undefined) });
  });

  it('is known for every sample', () => {
    assert.deepEqual(samples.map(({ recorded }) => recorded.title).toSorted(), Object.keys(expected).toSorted());
  });

  for (const { recorded, unit } of samples) {
    it(`${recorded.title} in the record`, async () => {
      const { method, path, headers, settings, bytes } = askingOf(recorded, unit);
      const server = await startRecordedServer(recorded.fixture.answers);
      try {
        const config = JSON.stringify({ provider: unit.name, ...settings, custom_host: server.url });
        const body = bytes === undefined ? {} : { body: Buffer.from(bytes) };
        const reply = await gateway.request(method, path, { headers: { ...headers, 'x-gw-config': config }, ...body });
        assert.equal(reply.status, 200, reply.text);
        asked += 1;
        const record = (await gateway.records(asked)).at(-1);
        assert.equal(record?.cost?.nanoUsd, expected[recorded.title], JSON.stringify(record?.usage));
        assert.equal(record?.cost?.source, 'operator');
      } finally {
        await server.close();
      }
    });
  }
});
