import { readFile } from 'node:fs/promises';
import { GatewayError, type Json, parseJson } from 'portcullis/sdk';
import type { SigningKey } from '../config/gateway-config.ts';
import { type PrivateKey, privateKeyIn, publicKeyIn } from '../packages/signing-keys.ts';

/** One public key of each file. @throws GatewayError */
export function readPublicKeys(paths: readonly string[]): Promise<readonly SigningKey[]> {
  return Promise.all(paths.map(async (path) => publicKeyIn(await jsonIn(path), path)));
}

/** @throws GatewayError whose message never repeats what the file holds */
export async function readPrivateKey(path: string): Promise<PrivateKey> {
  return privateKeyIn(await jsonIn(path), path);
}

async function jsonIn(path: string): Promise<Json | undefined> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new GatewayError('bad_request', `The key file ${path} cannot be read.`, { param: 'key', cause });
  });
  return parseJson(text);
}
