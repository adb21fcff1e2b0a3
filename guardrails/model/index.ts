import { guardrail } from 'portcullis/sdk';
import gibberish from './gibberish.ts';
import injection from './injection.ts';
import language from './language.ts';
import moderation from './moderation.ts';

export default guardrail({ checks: { gibberish, injection, language, moderation } });
