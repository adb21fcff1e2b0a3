import { type CheckHost, check, schema } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { protect } from './protect.ts';

export default check({
  title: 'Prompt Security: protect the response',
  description: 'Fails replies that Prompt Security blocks, and changes what it modifies.',
  config: schema.Object({}, { additionalProperties: false }),
  phases: ['afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  run: ({ texts, prompt }, _config, host: CheckHost<Credentials>) =>
    protect(texts, 'response', (response) => (prompt === '' ? { response } : { prompt, response }), host),
});
