import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import { gibberish } from './gibberish.ts';
import { language } from './language.ts';
import { moderateContent } from './moderate-content.ts';
import { pii } from './pii.ts';

export default guardrail({ credentials, checks: { moderateContent, language, pii, gibberish } });
