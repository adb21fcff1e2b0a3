import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects, type JsonObject } from 'portcullis/sdk';

const answers: Readonly<Record<keyof typeof dialects, JsonObject>> = {
  chat: { choices: [{ index: 0, message: { role: 'assistant', content: 'Ho' } }] },
  completions: { choices: [{ index: 0, text: 'Ho' }] },
  messages: { content: [{ type: 'text', text: 'Ho' }] },
  responses: { output: [{ type: 'message', content: [] }] },
  gemini: { candidates: [{ content: { parts: [{ text: 'Ho' }] } }] },
  converse: { output: { message: { role: 'assistant', content: [{ text: 'Ho' }] } } },
  cohere: { message: { role: 'assistant', content: [{ type: 'text', text: 'Ho' }] } },
  embeddings: { data: [{ index: 0, embedding: [0.5] }] },
  'gemini-embeddings': { embedding: { values: [0.5] } },
  'cohere-embeddings': { embeddings: { float: [[0.5]] } },
  rerank: { results: [{ index: 0, relevance_score: 0.5 }] },
  images: { data: [{ url: 'https://pictures.example/1' }] },
  moderations: { results: [{ flagged: false }] },
  ocr: { pages: [{ index: 0, markdown: 'Ho' }] },
  speech: { object: 'audio' },
  transcriptions: { text: 'Ho' },
  files: { id: 'file-1', object: 'file' },
  batches: { id: 'batch-1', object: 'batch' },
  'fine-tuning': { id: 'job-1', object: 'fine_tuning.job' },
};

describe('the text of an error with a status of success', () => {
  for (const dialect of Object.values(dialects)) {
    const answer = answers[dialect.name];

    it(`is a fault in ${dialect.name} where nothing of an answer stands beside it`, () => {
      for (const beside of [{}, { status: 'failed', type: 'load_error', id: 'x', choices: null }]) {
        const fault = dialect.faultOf({ ...beside, error: 'The model is loading.' }, 200);
        assert.deepEqual([fault?.status, fault?.message], [502, 'The model is loading.']);
      }
    });

    it(`is none in ${dialect.name} beside an answer, nor where it is empty or null`, () => {
      for (const json of [
        { ...answer, error: 'Some note.' },
        { ...answer, error: '' },
        { ...answer, error: null },
      ]) {
        assert.equal(dialect.faultOf(json, 200), undefined, JSON.stringify(json));
      }
    });
  }
});
