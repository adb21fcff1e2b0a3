import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startPeer } from '../../support/peer.ts';
import { target } from '../../support/routed.ts';
import { guarded, without } from './guarded.ts';

const text = 'ask jane@example.org';
const mask = { 'default.regexReplace': { rule: 'jane@\\S+', redactText: '[X]' } };
const cohere = ({ origin }: { readonly origin: string }) => ({ provider: 'cohere', api_key: 'k', custom_host: origin });

interface Route {
  readonly path: string;
  readonly asked: JsonObject;
  readonly reply: JsonObject;
  readonly of: (peer: { readonly origin: string }) => JsonObject;
}

const results = [{ index: 0, relevance_score: 0.9, document: { text } }];
const routes: Readonly<Record<string, Route>> = {
  'documents of a rerank': {
    path: '/v1/rerank',
    asked: { model: 'm', query: 'q', documents: [text], return_documents: true },
    reply: { id: 'r', results },
    of: cohere,
  },
  'documents of a rerank of the second version': {
    path: '/v2/rerank',
    asked: { model: 'm', query: 'q', documents: [text], return_documents: true },
    reply: { id: 'r', results },
    of: cohere,
  },
  'texts that were embedded': {
    path: '/v2/embed',
    asked: { model: 'm', texts: [text], input_type: 'search_query', embedding_types: ['float'] },
    reply: { id: 'r', embeddings: { float: [[0.1]] }, texts: [text], meta: {} },
    of: cohere,
  },
  'texts beside embeddings': {
    path: '/v1/embeddings',
    asked: { model: 'm', input: text },
    reply: { object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [0.1], text }] },
    of: target,
  },
};

for (const [what, { path, asked, reply, of }] of Object.entries(routes))
  describe(`the ${what}`, () => {
    const serve = async (t: Parameters<typeof guarded>[0], lists: JsonObject) => {
      const peer = await startPeer(t as never);
      peer.next({ body: reply });
      const { ask } = await guarded(t);
      return {
        peer,
        told: await ask({ targets: [{ ...of(peer), ...lists }], strategy: { mode: 'single' } }, asked, { path }),
      };
    };

    it('are masked in the request', async (t) => {
      const { peer, told } = await serve(t, { input_guardrails: [mask] });
      assert.equal(told.status, 200, told.text);
      assert.match(JSON.stringify(peer.requests[0]?.body), /ask \[X\]/);
    });

    it('are masked in the reply, and deny it', async (t) => {
      const { told } = await serve(t, { output_guardrails: [mask] });
      assert.equal(told.status, 200, told.text);
      assert.match(told.text, /ask \[X\]/);
      const denied = await serve(t, { output_guardrails: [{ ...without('jane'), deny: true }] });
      assert.equal(denied.told.status, 446);
    });
  });
