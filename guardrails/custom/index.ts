import { guardrail } from 'portcullis/sdk';
import { code } from './code.ts';

export default guardrail({ checks: { code } });
