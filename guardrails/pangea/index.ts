import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import pii from './pii.ts';
import textGuard from './text-guard.ts';

export default guardrail({ credentials, checks: { textGuard, pii } });
