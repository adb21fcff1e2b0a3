import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import moderateContent from './moderate-content.ts';

export default guardrail({ credentials, checks: { moderateContent } });
