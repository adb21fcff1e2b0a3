import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EmbeddingQuestion, JsonObject, TargetContext } from 'portcullis/sdk';
import type { TestHostOptions } from 'portcullis/sdk/testing';
import { said, semantic, simple, startCache, targetWith } from './asking.ts';

const env = { SEMANTIC_CACHE_EMBEDDING_MODEL: 'local/vectors', SEMANTIC_CACHE_EMBEDDING_DIMENSIONS: '3' };

/** Says the direction of a text by the words in it. */
const directions: readonly (readonly [RegExp, readonly number[]])[] = [
  [/capital .*France|France's capital/, [1, 0, 0]],
  [/French capital city/, [0.98, 0.2, 0]],
  [/near to France/, [0.94, 0.34, 0]],
  [/Spain/, [0, 1, 0]],
];

function vectors(asked: EmbeddingQuestion[] = []): NonNullable<TestHostOptions['embed']> {
  return async (question) => {
    asked.push(question);
    return directions.find(([words]) => words.test(question.input))?.[1] ?? [0, 0, 1];
  };
}

const about = (body: JsonObject, more: Partial<TargetContext> = {}) => targetWith({ cache: semantic, body, ...more });
const first = 'What is the capital of France?';
const alike = "Tell me France's capital";

describe('a semantic rule', () => {
  it('finds equal requests first, and asks for no vector then', async () => {
    const asked: EmbeddingQuestion[] = [];
    const { ask } = await startCache({ env, embed: vectors(asked) });
    assert.equal((await ask(about(said(first)))).status, 'SEMANTIC MISS');
    assert.equal((await ask(about(said(first)))).status, 'HIT');
    assert.deepEqual(asked, [{ model: 'local/vectors', dimensions: 3, input: `user: ${first}` }]);
  });

  it('finds what means the same', async () => {
    const { ask } = await startCache({ env, embed: vectors() });
    const made = await ask(about(said(first)));
    const found = await ask(about(said(alike)));
    assert.deepEqual([found.status, found.called, found.text], ['SEMANTIC HIT', false, made.text]);
  });

  const cosines: readonly [string, string | undefined, string][] = [
    ['Name the French capital city', undefined, 'SEMANTIC HIT'],
    ['Name a place near to France', undefined, 'SEMANTIC MISS'],
    ['Name a place near to France', '0.9', 'SEMANTIC HIT'],
    ['Name the French capital city', '0.99', 'SEMANTIC MISS'],
    ['What is the capital of Spain?', undefined, 'SEMANTIC MISS'],
  ];
  for (const [question, threshold, status] of cosines) {
    it(`gives ${status} for "${question}" at ${threshold ?? 'the default'}`, async () => {
      const more = threshold === undefined ? {} : { SEMANTIC_CACHE_THRESHOLD: threshold };
      const { ask } = await startCache({ env: { ...env, ...more }, embed: vectors() });
      await ask(about(said(first)));
      assert.equal((await ask(about(said(question)))).status, status);
    });
  }

  it('gives the nearest of several', async () => {
    const { ask } = await startCache({ env, embed: vectors() });
    await ask(about(said('Name the French capital city')));
    const nearest = await ask(about(said('capital of France, please')), {});
    assert.equal(nearest.status, 'SEMANTIC HIT');
    const exact = await ask(
      targetWith({ cache: semantic, body: said(first) }, { headers: { 'x-gw-cache-force-refresh': 'true' } }),
    );
    assert.equal((await ask(about(said(alike)))).text, exact.text);
  });

  const apart: readonly [string, TargetContext][] = [
    ['another parameter', about(said(alike, { temperature: 1 }))],
    ['another model', about({ ...said(alike), model: 'other' })],
    ['a wish for a stream', about(said(alike, { stream: true }))],
    ['another system message', about({ model: 'm', messages: [{ role: 'system', content: 'x' }, ...messages(alike)] })],
    ['another message before it', about({ model: 'm', messages: [...messages('Hi'), ...messages(alike)] })],
    ['another role', about({ model: 'm', messages: [{ role: 'assistant', content: alike }] })],
    ['another name', about({ model: 'm', messages: [{ role: 'user', name: 'ann', content: alike }] })],
    ['another identity', about(said(alike), { identity: () => 'b'.repeat(64) })],
    ['another caller', targetWith({ cache: semantic, body: said(alike) }, { principal: { id: 'b', kind: 'key' } })],
    ['other metadata', targetWith({ cache: semantic, body: said(alike) }, { metadata: { a: 'b' } })],
    ['a namespace', targetWith({ cache: semantic, body: said(alike) }, { headers: { 'x-gw-cache-namespace': 'n' } })],
  ];
  for (const [what, target] of apart) {
    it(`finds nothing across ${what}`, async () => {
      const { ask } = await startCache({ env, embed: vectors() });
      await ask(about(said(first)));
      const found = await ask(target);
      assert.deepEqual([found.status, found.called], ['SEMANTIC MISS', true]);
    });
  }

  it('finds what a system message stands before, when it is the same one', async () => {
    const { ask } = await startCache({ env, embed: vectors() });
    const instructed = (content: string) =>
      about({ model: 'm', messages: [{ role: 'system', content: 'Be brief.' }, ...messages(content)] });
    await ask(instructed(first));
    assert.equal((await ask(instructed(alike))).status, 'SEMANTIC HIT');
  });

  it('forgets with the age of the rule', async () => {
    const { ask, host } = await startCache({ env, embed: vectors() });
    await ask(about(said(first)));
    host.advance(600_000);
    assert.equal((await ask(about(said(alike)))).status, 'SEMANTIC MISS');
  });

  it('never finds an error', async () => {
    const { ask } = await startCache({ env, embed: vectors() });
    await ask(about(said(first)), { status: 500, error: 'upstream_error' });
    assert.equal((await ask(about(said(alike)))).status, 'SEMANTIC MISS');
  });

  it('refreshes without waiting for a vector, and puts the reply where it is found', async () => {
    const { ask } = await startCache({ env, embed: vectors() });
    await ask(about(said(first)));
    const refreshing = () =>
      targetWith({ cache: semantic, body: said(first) }, { headers: { 'x-gw-cache-force-refresh': 'true' } });
    const fresh = await ask(refreshing());
    const found = await ask(about(said(alike)));
    assert.deepEqual([fresh.status, found.status, found.text], ['REFRESH', 'SEMANTIC HIT', fresh.text]);
  });

  it('without a model works as a simple one', async () => {
    const { ask } = await startCache();
    assert.equal((await ask(about(said(first)))).status, 'MISS');
    assert.equal((await ask(about(said(first)))).status, 'HIT');
  });

  it('asks for no vector where the rule is simple', async () => {
    const asked: EmbeddingQuestion[] = [];
    const { ask } = await startCache({ env, embed: vectors(asked) });
    await ask(targetWith({ cache: simple, body: said(first) }));
    assert.deepEqual(asked, []);
  });
});

describe('a request that cannot be compared by its meaning', () => {
  const long = 'x'.repeat(4 * 8_191);
  const bodies: readonly [string, JsonObject][] = [
    ['has five messages', { messages: Array.from({ length: 5 }, () => ({ role: 'user', content: 'x' })) }],
    ['holds an image', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'a' } }] }] }],
    [
      'holds the call of a tool',
      {
        messages: [
          { role: 'user', content: 'x' },
          { role: 'assistant', content: 'y', tool_calls: [{ id: 'a' }] },
        ],
      },
    ],
    ['holds the result of a tool', { messages: [{ role: 'tool', content: 'x', tool_call_id: 'a' }] }],
    ['is too long', { messages: messages(long) }],
    ['is too long in another script', { messages: messages('字'.repeat(8_191)) }],
    ['says nothing', { messages: [{ role: 'system', content: 'x' }] }],
  ];
  for (const [what, body] of bodies) {
    it(`is one that ${what}: it is looked up as it is`, async () => {
      const asked: EmbeddingQuestion[] = [];
      const { ask } = await startCache({ env, embed: vectors(asked) });
      const target = () => about({ model: 'm', ...body });
      assert.equal((await ask(target())).status, 'MISS');
      assert.equal((await ask(target())).status, 'HIT');
      assert.deepEqual(asked, []);
    });
  }

  it('is one for another endpoint', async () => {
    const { ask } = await startCache({ env, embed: vectors() });
    const target = targetWith({ cache: semantic, body: { model: 'm', input: 'x' } }, { endpoint: 'embed' });
    assert.equal((await ask(target)).status, 'MISS');
  });

  const compared: readonly [string, Parameters<typeof targetWith>[1], (content: string) => JsonObject][] = [
    ['completions', { endpoint: 'complete', dialect: 'completions' }, (prompt) => ({ model: 'm', prompt })],
    [
      'messages',
      { endpoint: 'messages', dialect: 'messages' },
      (text) => ({ model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
    ],
  ];
  for (const [name, request, body] of compared) {
    it(`is told from one of ${name}`, async () => {
      const { ask } = await startCache({ env, embed: vectors() });
      const target = (content: string) => targetWith({ cache: semantic, body: body(content) }, request);
      await ask(target(first));
      assert.equal((await ask(target(alike))).status, 'SEMANTIC HIT');
    });
  }
});

describe('a model that gives no vector', () => {
  it('is a miss, and the reply is found by the equal request', async () => {
    const { ask } = await startCache({
      env,
      embed: async () => {
        throw new Error('There is no such model.');
      },
    });
    assert.equal((await ask(about(said(first)))).status, 'SEMANTIC MISS');
    assert.equal((await ask(about(said(first)))).status, 'HIT');
  });

  it('is not waited for longer than two seconds', async () => {
    const { ask, host } = await startCache({ env, embed: () => new Promise(() => {}) });
    const asking = ask(about(said(first)));
    for (let turn = 0; turn < 20 && host.slept.length === 0; turn += 1) await new Promise(setImmediate);
    assert.deepEqual(host.slept, [2_000]);
    host.advance(2_000);
    assert.equal((await asking).status, 'SEMANTIC MISS');
  });

  it('is not asked for half a minute after it has failed three times in a row', async () => {
    let asked = 0;
    const { ask, host } = await startCache({
      env,
      embed: async () => {
        asked += 1;
        throw new Error('no');
      },
    });
    for (let request = 0; request < 6; request += 1) await ask(about(said(`question ${request}`)));
    assert.equal(asked, 3);
    host.advance(30_000);
    await ask(about(said('later')));
    assert.equal(asked, 4);
  });

  it('concerns no other caller', async () => {
    const { ask } = await startCache({
      env,
      embed: async (question, request) => {
        if (request.principal.id === 'broken') throw new Error('no');
        return vectors()(question, request);
      },
    });
    const from = (id: string, content: string) =>
      targetWith({ cache: semantic, body: said(content) }, { principal: { id, kind: 'key' } });
    for (let request = 0; request < 4; request += 1) await ask(from('broken', `question ${request}`));
    await ask(from('sound', first));
    assert.equal((await ask(from('sound', alike))).status, 'SEMANTIC HIT');
  });

  for (const [what, vector] of [
    ['without a direction', [0, 0, 0]],
    ['of no number', [Number.NaN, 1, 0]],
  ] as const) {
    it(`may have given one ${what}`, async () => {
      const { ask } = await startCache({ env, embed: async () => vector });
      await ask(about(said(first)));
      assert.equal((await ask(about(said(alike)))).status, 'SEMANTIC MISS');
    });
  }
});

function messages(content: string) {
  return [{ role: 'user', content }];
}
