import { hash } from 'node:crypto';
import type { Json } from 'portcullis/sdk';

/** A key for what belongs to exactly this: nothing can be read back from it. */
export function fingerprint(...parts: readonly Json[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
