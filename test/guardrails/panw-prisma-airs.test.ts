import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import airs from '../../guardrails/panw-prisma-airs/index.ts';
import intercept from '../../guardrails/panw-prisma-airs/intercept.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/panw-prisma-airs'), airs);

const credentials = { AIRS_API_KEY: 'test-key' };

testCheck(intercept, {
  fail: [{ name: 'a block, whatever broke beside it', host: says({ action: 'block', error: true }) }],
  error: [
    { name: 'an unknown action', host: says({ action: 'alert', category: 'benign' }), code: 'check_failed' },
    {
      name: 'detectors that broke',
      host: says({ action: 'allow', category: 'benign', error: true }),
      code: 'check_failed',
    },
    { name: 'detectors that took too long', host: says({ action: 'allow', timeout: true }), code: 'check_failed' },
    { name: 'the category error', host: says({ action: 'allow', category: 'error' }), code: 'check_failed' },
    { name: 'the category timeout', host: says({ action: 'allow', category: 'timeout' }), code: 'check_failed' },
  ],
  refused: [
    { config: { profile_name: '' }, message: /profile_name/ },
    { config: { app_user: 7 }, message: /app_user/ },
    { config: { profile: 'p' }, message: /profile/ },
  ],
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials, fetch };
}
