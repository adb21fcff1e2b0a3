import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import walledprotect from './walledprotect.ts';

export default guardrail({ credentials, checks: { walledprotect } });
