import { createHash } from 'node:crypto';
import type { Call } from './neutral.ts';

/** A name of so many characters for a text that is longer than a provider takes, the same one every time. */
export function shortName(text: string, length: number, prefix = ''): string {
  const digest = createHash('sha256').update(text).digest('hex');
  return prefix + digest.slice(0, length - prefix.length);
}

/** The id of a call, or a name for one that is longer than a provider takes: providers differ in how long they make them. */
export function fittingId(id: string, longest: number): string {
  return id.length <= longest ? id : shortName(id, longest, 'call_');
}

/** Formats whose own clients know the limit below. */
const limited: ReadonlySet<string> = new Set(['chat', 'completions', 'responses']);
const longestUser = 64;

/**
 * The `user` of the chat, completions and responses formats. Their maker refuses one of more than 64 characters; other
 * formats take longer ones, such as the account and the session in one that coding agents send.
 */
export function endUser({ user, dialect }: Call): string | undefined {
  const tooLong = user !== undefined && user.length > longestUser && !limited.has(dialect);
  return tooLong ? shortName(user, longestUser) : user;
}
