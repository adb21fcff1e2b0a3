import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import { online } from './online.ts';

export default guardrail({ credentials, checks: { online } });
