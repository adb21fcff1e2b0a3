import { guardrail } from 'portcullis/sdk';
import detect from './detect.ts';
import redact from './redact.ts';

export default guardrail({ checks: { detect, redact } });
