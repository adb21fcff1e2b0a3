import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import scan from './scan.ts';

export default guardrail({ credentials, checks: { scan } });
