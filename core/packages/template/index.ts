import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import { score } from './score.ts';
import { words } from './words.ts';

export default guardrail({ credentials, checks: { words, score } });
