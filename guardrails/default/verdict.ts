import type { Json, JsonObject, Verdict } from 'portcullis/sdk';

export interface Finding {
  /** What the check is about is so; `not` turns that round. */
  readonly holds: boolean;
  readonly not: boolean;
  /** One sentence, without the text. */
  readonly explanation: string;
  readonly text?: string;
  readonly data?: JsonObject;
}

export function judged({ holds, not, explanation, text, data = {} }: Finding): Verdict {
  const pass = holds !== not;
  const told: { [name: string]: Json } = { explanation, not, verdict: pass, ...data };
  if (text !== undefined) told.textExcerpt = excerpt(text);
  return { pass, why: explanation, data: told };
}

/** The first 100 UTF-16 units, or one less: a surrogate pair is not cut in half. */
export function excerpt(text: string): string {
  if (text.length <= 100) return text;
  const last = text.charCodeAt(99);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? 99 : 100)}...`;
}
