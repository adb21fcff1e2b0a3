import type { JsonObject } from '../../json.ts';
import { asString } from '../../json.ts';
import type { RedactedThinkingPart, ThinkingPart } from '../neutral.ts';
import { present } from './present.ts';

/** Marks thinking that another provider hid, so that it finds its way back through a reasoning item. */
export const redactedPrefix = 'redacted:';

/** Encrypted reasoning is a Fernet token: base64 of the version byte 0x80 and a time stamp (spec of Fernet). */
export function isOwnPayload(payload: string): boolean {
  return payload.startsWith('gAAAA');
}

/** The thinking that a reasoning item holds: its text is given, as streams collect it in pieces. */
export function thinkingOf(item: JsonObject, text: string): ThinkingPart | RedactedThinkingPart {
  const itemId = asString(item.id);
  const payload = asString(item.encrypted_content) || undefined;
  if (payload?.startsWith(redactedPrefix)) {
    const data = payload.slice(redactedPrefix.length);
    return present<RedactedThinkingPart>({ type: 'redacted-thinking', data, itemId });
  }
  return present<ThinkingPart>({ type: 'thinking', text, signature: payload, itemId });
}
