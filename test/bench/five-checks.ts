import type { JsonObject } from 'portcullis/sdk';

/** Five checks that call nobody, as an operator would put them on every request. */
export const fiveChecks: readonly JsonObject[] = [
  { id: 'default.contains', parameters: { operator: 'none', words: ['attack', 'bypass', 'forbidden'] } },
  { id: 'default.wordCount', parameters: { minWords: 1, maxWords: 5000 } },
  { id: 'default.regexMatch', parameters: { rule: '(password|secret) [a-z0-9]{1,20}', not: true } },
  { id: 'default.modelWhitelist', parameters: { models: ['bench-json', 'bench-saturated', 'bench-spaced'] } },
  { id: 'pii.detect', parameters: {} },
];
