import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import type { EnvironmentValues } from '../config/env.ts';
import { makeDataFolder } from '../store/data-folder.ts';
import { dataDirOf } from '../store/options.ts';
import { keyBytes } from './cipher.ts';

/** The key-encryption key, and those that may have been it before. */
export interface KeyMaterial {
  readonly key: Buffer;
  readonly previous: readonly Buffer[];
  /** Where it comes from, for messages: a variable or a file, never the key. */
  readonly source: string;
  /** The file that holds it, where it is a file. */
  readonly file?: string;
}

const variable = 'PORTCULLIS_ENCRYPTION_KEY';

/**
 * The key-encryption key: of the environment, else of `encryption.key` in DATA_DIR, which is made where it is missing.
 * @throws GatewayError `invalid_config` when it is malformed, missing beside DB_HOST, or in a file that others can read
 */
export function keyMaterialOf(environment: EnvironmentValues): KeyMaterial {
  const { PORTCULLIS_ENCRYPTION_KEY: text, PORTCULLIS_ENCRYPTION_KEY_PREVIOUS: before, DB_HOST: host } = environment;
  const previous = before === undefined ? [] : [parseKey(before, `${variable}_PREVIOUS`)];
  if (text !== undefined) {
    const file = join(dataDirOf(environment), 'encryption.key');
    // Who moves from the file to the variable rotates; the file then is the previous key.
    const filed = host === undefined && existsSync(file) ? [readKeyFile(file)] : [];
    return { key: parseKey(text, variable), previous: [...previous, ...filed], source: variable };
  }
  if (host !== undefined) {
    const message = `DB_HOST is set, so ${variable} must be set as well: ${accepted}. Make one with: openssl rand -base64 32`;
    throw new GatewayError('invalid_config', message, { param: variable });
  }
  return embeddedKey(join(dataDirOf(environment), 'encryption.key'), previous);
}

const accepted = '32 random bytes, as base64 or as 64 hexadecimal digits';

/** @throws GatewayError `invalid_config` that names where the text is from, and does not show it */
export function parseKey(text: string, source: string): Buffer {
  const trimmed = text.trim();
  if (/^[0-9a-fA-F]{64}$/.test(trimmed)) return Buffer.from(trimmed, 'hex');
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : undefined;
  if (bytes?.length === keyBytes) return bytes;
  throw new GatewayError('invalid_config', `${source} must be ${accepted}.`, { param: source });
}

function embeddedKey(file: string, previous: readonly Buffer[]): KeyMaterial {
  if (!existsSync(file)) makeKeyFile(file);
  const next = nextKeyFile(file);
  // A rotation that was broken off: the database may be wrapped with either.
  const begun = existsSync(next) ? [readKeyFile(next)] : [];
  return { key: readKeyFile(file), previous: [...begun, ...previous], source: `the file ${file}`, file };
}

function makeKeyFile(file: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeKeyFile(draft, randomBytes(keyBytes));
  try {
    // Unlike a rename, a link never replaces what another process made meanwhile.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeKeyFile(file: string, key: Buffer): void {
  makeDataFolder(dirname(file));
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, `${key.toString('base64')}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function readKeyFile(file: string): Buffer {
  const { mode } = statSync(file);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const text = `The file ${file} holds the encryption key, and others than its owner may read it. Put it right: chmod 600 ${file}`;
    throw new GatewayError('invalid_config', text);
  }
  return parseKey(readFileSync(file, 'utf8'), file);
}

function nextKeyFile(file: string): string {
  return `${file}.next`;
}

/** Writes the key that is to replace the file's own, or reads the one that an earlier attempt wrote. */
export function prepareNextKey(file: string): Buffer {
  const next = nextKeyFile(file);
  if (!existsSync(next)) writeKeyFile(next, randomBytes(keyBytes));
  return readKeyFile(next);
}

/** Puts the prepared key in the place of the old one, in one step. */
export function installNextKey(file: string): void {
  renameSync(nextKeyFile(file), file);
}
