import type { Json } from '../json.ts';

/**
 * Thought signatures must come back with the tool call that they belong to, but chat, messages and responses have no field
 * for them. They travel inside the call's id, in characters that all three accept: `<id>__sig_<base64url>`.
 */
const separator = '__sig_';

/** The id as clients see it. */
export function packToolCallId(id: string, signature: string | undefined): string {
  return signature === undefined ? id : `${id}${separator}${Buffer.from(signature, 'utf8').toString('base64url')}`;
}

/** The bare id and the signature that a client sent back. */
export function unpackToolCallId(packed: string): { readonly id: string; readonly signature?: string } {
  const at = packed.indexOf(separator);
  if (at === -1) return { id: packed };
  const signature = Buffer.from(packed.slice(at + separator.length), 'base64url').toString('utf8');
  return { id: packed.slice(0, at), signature };
}

/** Whether a member of a request is an id with a signature in it. */
export function isPackedId(id: unknown): boolean {
  return typeof id === 'string' && id.includes(separator);
}

/** The member without the signature; the same where it holds none. */
export function bareId(id: Json): Json {
  return typeof id === 'string' ? unpackToolCallId(id).id : id;
}
