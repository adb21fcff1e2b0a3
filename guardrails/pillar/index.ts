import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import { protect } from './protect.ts';
import { scan } from './scan.ts';

const inAnswers = ['pii', 'secrets', 'toxic_language'];

export default guardrail({
  credentials,
  checks: {
    scanPrompt: scan({
      title: 'Pillar scan of the prompt',
      phase: 'beforeRequest',
      path: 'prompt',
      scanners: ['prompt_injection', ...inAnswers, 'invisible_characters'],
    }),
    scanResponse: scan({
      title: 'Pillar scan of the answer',
      phase: 'afterRequest',
      path: 'response',
      scanners: inAnswers,
    }),
    protect,
  },
});
