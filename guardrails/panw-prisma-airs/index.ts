import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import intercept from './intercept.ts';

export default guardrail({ credentials, checks: { intercept } });
