import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import { guard } from './guard.ts';

export default guardrail({ credentials, checks: { guard } });
