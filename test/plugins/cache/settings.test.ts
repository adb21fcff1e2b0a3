import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type SharedRedis } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import { settingsOf } from '../../../plugins/cache/settings.ts';
import { semantic, startCache, targetWith } from './asking.ts';

const redis: SharedRedis = { get: async () => undefined, set: async () => false, delete: async () => {} };

function read(env: Readonly<Record<string, string>>, shared?: SharedRedis) {
  return settingsOf(createTestHost({ env, ...(shared === undefined ? {} : { redis: shared }) }));
}

describe('the settings of the cache', () => {
  it('have defaults', () => {
    assert.deepEqual(read({}), { store: 'memory', maxBytes: 134_217_728, semantic: undefined });
  });

  it('keep replies in Redis where there is one, unless they are told not to', () => {
    assert.equal(read({}, redis).store, 'redis');
    assert.equal(read({ CACHE_STORE: 'memory' }, redis).store, 'memory');
    assert.equal(read({ CACHE_STORE: 'redis' }, redis).store, 'redis');
  });

  it('say which model makes vectors', () => {
    assert.deepEqual(read({ SEMANTIC_CACHE_EMBEDDING_MODEL: '@open/text-small' }).semantic, {
      model: '@open/text-small',
      dimensions: undefined,
      threshold: 0.95,
    });
    const all = {
      SEMANTIC_CACHE_EMBEDDING_MODEL: 'openai/text-small',
      SEMANTIC_CACHE_EMBEDDING_DIMENSIONS: '256',
      SEMANTIC_CACHE_THRESHOLD: '0.9',
    };
    assert.deepEqual(read(all).semantic, { model: 'openai/text-small', dimensions: 256, threshold: 0.9 });
  });

  const refused: readonly [string, string][] = [
    ['CACHE_STORE', 'milvus'],
    ['CACHE_STORE', 'redis'],
    ['CACHE_MAX_BYTES', '1'],
    ['CACHE_MAX_BYTES', '1048576.5'],
    ['CACHE_MAX_BYTES', '128mb'],
    ['SEMANTIC_CACHE_EMBEDDING_MODEL', 'text-small'],
    ['SEMANTIC_CACHE_EMBEDDING_DIMENSIONS', '0'],
    ['SEMANTIC_CACHE_THRESHOLD', '95'],
  ];
  for (const [variable, value] of refused) {
    it(`refuse ${variable}=${value}, and name the variable`, () => {
      assert.throws(
        () => read({ [variable]: value }),
        (error) =>
          GatewayError.is(error) &&
          error.code === 'invalid_config' &&
          error.param === variable &&
          error.message.includes(variable),
      );
    });
  }

  it('are refused when the plugin starts', async () => {
    await assert.rejects(startCache({ env: { CACHE_STORE: 'redis' } }), /CACHE_STORE is redis, which needs REDIS_URL/);
  });
});

describe('explain', () => {
  it('says what the rule does', async () => {
    const { hooks } = await startCache();
    assert.deepEqual(await hooks.explain?.(targetWith({ cache: undefined })), []);
    assert.deepEqual(await hooks.explain?.(targetWith()), [
      'cache: simple, up to 600 s, in the memory of this process',
    ]);
    assert.match(String(await hooks.explain?.(targetWith({}, { endpoint: 'proxy' }))), /^cache: off, for this request/);
  });

  it('says that a semantic rule finds equal requests only where no model makes vectors', async () => {
    const { hooks } = await startCache();
    const [line] = (await hooks.explain?.(targetWith({ cache: semantic }))) ?? [];
    assert.match(String(line), /equal requests only, for SEMANTIC_CACHE_EMBEDDING_MODEL is not set$/);
  });
});
