import { createHmac, hash } from 'node:crypto';
import { GatewayError, type Log } from 'portcullis/sdk';
import { isClosed } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { checksumWith } from './checksum.ts';
import { decrypt, encrypt } from './cipher.ts';
import type { KeyMaterial } from './key-material.ts';
import { addDataKey, readKeyRing } from './key-ring.ts';

export { coreMigrations } from './key-ring.ts';

/** Encrypts what is stored, with data keys that are stored themselves, encrypted by the operator's key. */
export interface Vault {
  /** `context` names the place, such as `integrations/<id>`: what was sealed for one place does not open in another. */
  seal(plain: string, context: string): string;
  /** @throws GatewayError `internal` that names the context, never the value */
  unseal(sealed: string, context: string): string;
  /** Whether a text was sealed with the data key that seals now. */
  isCurrent(sealed: string): boolean;
  /** Peppered digest of a secret of high entropy: 64 hex digits. */
  digest(secret: string): string;
  /** As `digest`, from the secret's SHA-256 (64 hex digits). */
  pepper(sha256: string): string;
  /** Keyed checksum: 8 letters and digits. */
  checksum(text: string): string;
  /** What `checksumWith` takes, for a data plane elsewhere. */
  checksumKey(): string;
  /**
   * Makes a new data key that seals from now on. Other processes learn of it within `refreshMs`; until then they cannot
   * open what this one seals, unless a moment is given from which it is to be used.
   */
  rotateDataKey(activeFrom?: number): Promise<void>;
  /** Reads the keys again; done by itself every `refreshMs`. */
  refresh(): Promise<void>;
  /** Ends the refreshing. */
  close(): void;
}

export interface VaultOptions {
  /** Default 15,000. */
  readonly refreshMs?: number;
  readonly now?: () => number;
}

export const standardRefreshMs = 15_000;
const version = 'v1';
const sha256 = /^[0-9a-f]{64}$/;

/**
 * Opens the vault over a store whose migrations (`coreMigrations`) have run; makes the keys at first start.
 * @throws GatewayError `invalid_config` when the operator's key does not fit the database
 */
export async function openVault(
  store: Store,
  material: KeyMaterial,
  log: Log,
  { refreshMs = standardRefreshMs, now = Date.now }: VaultOptions = {},
): Promise<Vault> {
  let ring = await readKeyRing(store, material);
  const checksum = checksumWith(ring.checksum.toString('base64url'));
  const pepper = (digest: string): string => {
    if (!sha256.test(digest)) throw new TypeError('A digest must be 64 lower-case hexadecimal digits.');
    return createHmac('sha256', ring.pepper).update(digest).digest('hex');
  };
  const refresh = async (): Promise<void> => {
    ring = await readKeyRing(store, material, ring);
  };
  const timer = setInterval(() => {
    refresh().catch((error: Error) => {
      if (isClosed(error)) clearInterval(timer);
      else log.error('encryption_keys_unread', { message: error.message });
    });
  }, refreshMs);
  timer.unref();

  return {
    seal: (plain, context) => {
      const id = ring.activeId(now());
      const key = ring.data.get(id);
      if (key === undefined) throw new GatewayError('internal', `The data key ${id} is missing.`);
      return `${version}.${id}.${encrypt(key, Buffer.from(plain, 'utf8'), boundContext(id, context))}`;
    },
    unseal: (sealed, context) => {
      const [form, id = '', text = '', ...more] = sealed.split('.');
      const key = form === version && more.length === 0 ? ring.data.get(id) : undefined;
      const plain = key === undefined ? undefined : decrypt(key, text, boundContext(id, context));
      if (plain !== undefined) return plain.toString('utf8');
      const reason = key === undefined ? 'no key of this database fits it' : 'it was changed, or belongs elsewhere';
      throw new GatewayError('internal', `The stored secret of ${context} cannot be decrypted: ${reason}.`);
    },
    isCurrent: (sealed) => sealed.startsWith(`${version}.${ring.activeId(now())}.`),
    digest: (secret) => pepper(hash('sha256', secret, 'hex')),
    pepper,
    checksum,
    checksumKey: () => ring.checksum.toString('base64url'),
    rotateDataKey: async (activeFrom = now()) => {
      await addDataKey(store, material, activeFrom);
      await refresh();
    },
    refresh,
    close: () => clearInterval(timer),
  };
}

function boundContext(id: string, context: string): string {
  return `${version}.${id}.${context}`;
}
