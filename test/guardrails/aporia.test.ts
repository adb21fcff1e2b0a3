import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import aporia from '../../guardrails/aporia/index.ts';
import validateProject from '../../guardrails/aporia/validate-project.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/aporia'), aporia);

const config = { projectID: 'p' };

testCheck(validateProject, {
  fail: [
    { name: 'an action that nobody knows yet', config, host: says({ action: 'quarantine' }), why: /"quarantine"/ },
  ],
  error: [{ name: 'an action that is no text', config, host: says({ action: true }), code: 'check_failed' }],
  refused: [
    { config: {}, message: /projectID/ },
    { config: { projectID: '' }, message: /projectID/ },
    { config: { projectID: 'p', explain: true }, message: /explain/ },
  ],
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials: { apiKey: 'aporia-key' }, fetch };
}
