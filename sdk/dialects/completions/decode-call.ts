import { GatewayError } from '../../errors.ts';
import { asNumber, asString, compact, type Json, type JsonObject, omit } from '../../json.ts';
import { otherStreamOptions, readSampling, readStop, samplingFields } from '../chat/decode-call.ts';
import type { Call } from '../neutral.ts';
import { present } from '../present.ts';

const known: ReadonlySet<string> = new Set([
  ...samplingFields,
  'model',
  'prompt',
  'max_tokens',
  'stop',
  'suffix',
  'echo',
  'best_of',
]);

/**
 * Reads a text completion request as one message of the user. `logprobs` has a form of its own and stays in `extra`.
 *
 * @throws GatewayError `translation_unsupported` for several prompts, prompts of token numbers, `suffix`, `echo` and
 * `best_of` above 1, which a chat cannot answer
 */
export function decodeCall(body: JsonObject): Call {
  refuse(Boolean(body.suffix), 'suffix', 'The text after the completion cannot be given');
  refuse(body.echo === true, 'echo', 'The prompt cannot be repeated in the answer');
  refuse((asNumber(body.best_of) ?? 1) > 1, 'best_of', 'The best of several completions cannot be chosen');
  return present<Call>({
    model: asString(body.model) ?? '',
    messages: [{ role: 'user', parts: [{ type: 'text', text: promptOf(body.prompt) }] }],
    maxTokens: asNumber(body.max_tokens),
    stop: readStop(body.stop),
    ...readSampling(body),
    dialect: 'completions',
    extra: compact({ ...omit(body, known), stream_options: otherStreamOptions(body.stream_options) }),
  });
}

function promptOf(prompt: Json | undefined): string {
  if (typeof prompt === 'string') return prompt;
  const only = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : undefined;
  refuse(typeof only !== 'string', 'prompt', 'Only one prompt, a string or a list of one string, can be sent');
  return typeof only === 'string' ? only : '';
}

function refuse(when: boolean, param: string, what: string): void {
  if (!when) return;
  throw new GatewayError('translation_unsupported', `${what} to this provider, which has no text completions.`, {
    param,
  });
}
