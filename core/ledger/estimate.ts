import type { DialectName, JsonObject, Usage } from 'portcullis/sdk';
import { countedChars } from './count-text.ts';
import { type Said, saidInRequest } from './said-texts.ts';
import type { TokenCounter } from './token-counter.ts';

export interface EstimateFacts {
  /** The request, in the format `dialect`. */
  readonly asked: JsonObject;
  readonly dialect: DialectName;
  /** What the reply says, as far as it was kept, and how many times as much has passed. */
  readonly replied: { readonly said: Said; readonly times: number };
  /** What the provider told before the reply broke off. */
  readonly told?: Usage | undefined;
}

/**
 * The tokens of a request and its reply where the provider has not told its closing counts: what it has told holds for the
 * input, the rest is counted from the texts. Of long texts a part is counted, and the whole taken to be like it.
 */
export async function estimateUsage(
  counter: TokenCounter,
  { asked, dialect, replied, told }: EstimateFacts,
): Promise<Usage> {
  const unknown = told === undefined || told.input === 0 ? saidInRequest(dialect, asked) : undefined;
  const [request, reply] = [sampleOf(unknown), sampleOf(replied.said)];
  const [requestTokens = 0, replyTokens = 0] = await counter.count([request.text, reply.text]);
  const input = unknown === undefined ? (told?.input ?? 0) : Math.ceil(requestTokens * request.times) + unknown.tokens;
  const heard = Math.ceil(replyTokens * reply.times * replied.times);
  // What it had told so far may hold thinking that it does not show.
  const output = Math.max(told?.output ?? 0, heard);
  return { ...told, input, output, total: input + output };
}

/** The beginning of all texts together, and how many times as long they are. */
function sampleOf(said: Said | undefined): { readonly text: string; readonly times: number } {
  let length = 0;
  let kept = 0;
  const parts: string[] = [];
  for (const text of said?.texts ?? []) {
    length += text.length;
    if (kept >= countedChars) continue;
    const part = text.slice(0, countedChars - kept);
    parts.push(part);
    kept += part.length;
  }
  return { text: parts.join('\n'), times: kept === 0 ? 1 : length / kept };
}
