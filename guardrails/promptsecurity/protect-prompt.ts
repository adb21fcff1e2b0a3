import { type CheckHost, check, schema } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { protect } from './protect.ts';

export default check({
  title: 'Prompt Security: protect the prompt',
  description: 'Fails what Prompt Security blocks, and changes what it modifies.',
  config: schema.Object({}, { additionalProperties: false }),
  phases: ['beforeRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  run: (input, _config, host: CheckHost<Credentials>) => protect(input.texts, 'prompt', (prompt) => ({ prompt }), host),
});
