import { asObject, asString, type Json, type JsonObject } from '../../json.ts';
import type { RedactedThinkingPart, ThinkingPart } from '../neutral.ts';
import { present } from '../present.ts';
import { makerOf } from '../signature.ts';

/** Marks thinking that another provider hid, so that it finds its way back through a reasoning item. */
export const redactedPrefix = 'redacted:';

/** Begins the ids of reasoning items that another format's answer became: no provider of this format knows them. */
export const foreignPrefix = 'rs_gw_';

/** Whether an item is reasoning that the gateway made of another format's answer: no provider of this format knows it. */
export function isForeignReasoning(value: Json | undefined): boolean {
  const item = asObject(value);
  return item?.type === 'reasoning' && asString(item.id)?.startsWith(foreignPrefix) === true;
}

/** Whether a provider of this format can decrypt the reasoning. */
export function isOwnPayload(payload: string): boolean {
  return makerOf(payload) === 'responses';
}

/** The id of a reasoning item, unless the gateway made it up. */
export function ownId(id: string | undefined): string | undefined {
  return id?.startsWith(foreignPrefix) ? undefined : id;
}

/** The thinking that a reasoning item holds: its text is given, as streams collect it in pieces. */
export function thinkingOf(item: JsonObject, text: string): ThinkingPart | RedactedThinkingPart {
  const itemId = ownId(asString(item.id) || undefined);
  const payload = asString(item.encrypted_content) || undefined;
  if (payload?.startsWith(redactedPrefix)) {
    const data = payload.slice(redactedPrefix.length);
    return present<RedactedThinkingPart>({ type: 'redacted-thinking', data, itemId });
  }
  return present<ThinkingPart>({ type: 'thinking', text, signature: payload, itemId });
}
