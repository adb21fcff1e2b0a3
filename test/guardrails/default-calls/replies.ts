import { readFileSync } from 'node:fs';
import type { FetchReply, Json, Manifest } from 'portcullis/sdk';

const path = new URL('../../../guardrails/default/plugin.json', import.meta.url);

/** So that a check which asks for more than its unit is granted fails here too. */
export const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;

export function json(body: Json, status = 200): FetchReply {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
}

export function empty(status: number): FetchReply {
  return { status, headers: {}, body: new Uint8Array() };
}
