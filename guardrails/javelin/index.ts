import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import { guardrails } from './guardrails.ts';

export default guardrail({ credentials, checks: { guardrails } });
