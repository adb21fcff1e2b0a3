import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import protectPrompt from './protect-prompt.ts';
import protectResponse from './protect-response.ts';

export default guardrail({ credentials, checks: { protectPrompt, protectResponse } });
