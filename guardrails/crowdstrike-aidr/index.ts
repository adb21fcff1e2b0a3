import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import guardChatCompletions from './guard-chat-completions.ts';

export default guardrail({ credentials, checks: { guardChatCompletions } });
