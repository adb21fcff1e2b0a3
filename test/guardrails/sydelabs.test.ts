import { fileURLToPath } from 'node:url';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import sydelabs from '../../guardrails/sydelabs/index.ts';
import { sydeguard } from '../../guardrails/sydelabs/sydeguard.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/sydelabs/', import.meta.url)), sydelabs);

const answering = (reply: Json) => ({
  credentials: { apiKey: 'key' },
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }),
});
const harmless = { category: 'PROMPT_INJECT', score: 0 };

testCheck(sydeguard, {
  error: [
    {
      name: 'a category that is missing',
      host: answering({ category_scores: [harmless, { category: 'EVASION', score: 0 }], overall_risk: false }),
      code: 'check_failed',
      message: /without a score for TOXIC/,
    },
    {
      name: 'a score that could not be had',
      host: answering({
        category_scores: [harmless, { category: 'TOXIC', score: null, error: 'busy' }],
        overall_risk: false,
      }),
      code: 'check_failed',
      message: /without a score for TOXIC/,
    },
    {
      name: 'a score beside an error',
      host: answering({
        error: null,
        category_scores: [harmless, { category: 'TOXIC', score: 0, error: 'busy' }, { category: 'EVASION', score: 0 }],
        overall_risk: false,
      }),
      code: 'check_failed',
      message: /without a score for TOXIC/,
    },
    {
      name: 'scores of a run that failed',
      host: answering({
        error: 'busy',
        category_scores: [harmless, { category: 'TOXIC', score: 0 }, { category: 'EVASION', score: 0 }],
        overall_risk: false,
      }),
      code: 'check_failed',
    },
  ],
  refused: [
    { config: { toxicity_threshold: 1.5 }, message: /toxicity_threshold/ },
    { config: { evasion_threshold: -0.1 }, message: /evasion_threshold/ },
    { config: { threshold: 0.5 }, message: /threshold/ },
  ],
});
