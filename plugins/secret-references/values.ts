import type { SecretReferenceEntry } from 'portcullis/sdk';
import type { ReadSecret } from './backends/index.ts';
import { faultOf, type SecretFault } from './fault.ts';
import { fingerprint } from './fingerprint.ts';
import { type Lease, Leases } from './leases.ts';

const freshMs = 5 * 60_000;
/** A manager that fails is asked again after this long: requests must not become a flood at its door. */
const failedMs = 5000;

/** The texts of secrets, in memory alone: given at once while they are fresh, read once for all who wait. */
export function secretValues(read: ReadSecret, now: () => number) {
  const leases = new Leases<string>(now);
  const failed = new Leases<SecretFault>(now);
  const keys = new WeakMap<SecretReferenceEntry, string>();
  const keyOf = (entry: SecretReferenceEntry): string => {
    // Whatever changes in the reference, the value is another.
    const key = keys.get(entry) ?? fingerprint(entry.organisationId, entry.id, entry.manager, entry.auth, entry.path);
    keys.set(entry, key);
    return key;
  };
  return {
    peek: (entry: SecretReferenceEntry): string | undefined => leases.peek(keyOf(entry))?.value,
    /** @throws SecretFault */
    read: async (entry: SecretReferenceEntry): Promise<string> => {
      const key = keyOf(entry);
      const fault = failed.peek(key);
      if (fault !== undefined) throw fault.value;
      return leases.get(key, async () => {
        try {
          return kept(await read(entry.manager, entry), now() + freshMs);
        } catch (thrown) {
          throw await failed.get(key, async () => kept(faultOf(thrown), now() + failedMs));
        }
      });
    },
  };
}

function kept<T>(value: T, until: number): Lease<T> {
  return { value, freshUntil: until, goodUntil: until };
}
