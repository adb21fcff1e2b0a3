import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';

const nouns = {
  '/policies/usage-limits': 'usage limits policy',
  '/policies/rate-limits': 'rate limits policy',
  '/api-keys': 'API key',
  '/secret-references': 'secret reference',
  '/model-prices': 'model price',
  '/configs': 'config',
};

it('a record that is not there is called what people call it', async (t) => {
  const control = await startControl(t);
  for (const [path, noun] of Object.entries(nouns)) {
    const { status, json } = await control.call('GET', `/v1${path}/none`, { key: control.adminKey });
    const { message } = json.error as JsonObject;
    assert.deepEqual([status, message], [404, `There is no ${noun} with the id or slug "none".`], path);
  }
});
