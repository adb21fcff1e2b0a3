import { guardrail } from 'portcullis/sdk';
import classify from './classify.ts';
import { credentials } from './credentials.ts';

export default guardrail({ credentials, checks: { classify } });
