import { guardrail } from 'portcullis/sdk';
import { analyze } from './analyze.ts';
import { credentials } from './credentials.ts';

export default guardrail({ credentials, checks: { analyze } });
