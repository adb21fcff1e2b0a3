import { guardrail } from 'portcullis/sdk';
import { flagCheck } from './classify.ts';
import pii from './pii.ts';

export default guardrail({
  checks: {
    guard: flagCheck('promptfoo prompt injection and jailbreak', 'guard', ['beforeRequest']),
    pii,
    harm: flagCheck('promptfoo harm', 'harm', ['beforeRequest', 'afterRequest']),
  },
});
