import {
  GatewayError,
  type Host,
  type Json,
  type JsonObject,
  type MaybePromise,
  type ProviderEntry,
  type SecretMapping,
} from 'portcullis/sdk';
import { secretReader } from './backends/index.ts';
import type { ReferenceEntry } from './entry.ts';
import { faultOf, SecretFault } from './fault.ts';
import { demandLent } from './own-identity.ts';
import { pick } from './pick.ts';
import { secretValues } from './values.ts';

type Found = ReferenceEntry | undefined;

interface Resolved {
  /** What the settings were made from: while it is the same, so are they. */
  readonly references: readonly Found[];
  readonly texts: readonly string[];
  readonly settings: JsonObject;
}

const none: JsonObject = Object.freeze({});

/**
 * The settings of a provider that secret managers hold; the same object while nothing has changed, and at once while all
 * of it is in memory. Fails closed.
 * @throws GatewayError `secret_unavailable` naming the reference, never its path or value
 */
export function resolveSecrets(host: Pick<Host, 'fetch' | 'env' | 'now' | 'directory' | 'log'>) {
  const values = secretValues(secretReader(host), host.now);
  const last = new WeakMap<ProviderEntry, Resolved>();

  const settingsOf = (entry: ProviderEntry, references: readonly Found[], texts: readonly string[]): JsonObject => {
    const before = last.get(entry);
    if (before !== undefined && same(before.texts, texts) && same(before.references, references))
      return before.settings;
    const members = (entry.secrets ?? []).map((mapping, index): [string, Json] => {
      try {
        const key = mapping.key ?? references[index]?.key;
        return [mapping.setting, pick(texts[index] ?? '', key, mapping.format)];
      } catch (thrown) {
        return unavailable(host, mapping, thrown);
      }
    });
    const settings = Object.freeze(Object.fromEntries(members));
    last.set(entry, { references, texts, settings });
    return settings;
  };

  const read = async (entry: ProviderEntry, reference: Found, mapping: SecretMapping): Promise<string> => {
    try {
      const found = open(entry, reference);
      demandLent(host, found.organisationId, found.auth);
      return await values.read(found);
    } catch (thrown) {
      return unavailable(host, mapping, thrown);
    }
  };

  const fromReferences = (entry: ProviderEntry, references: readonly Found[]): MaybePromise<JsonObject> => {
    const { secrets = [] } = entry;
    const known = references.map((found) => (reaches(found, entry) ? values.peek(found) : undefined));
    if (known.every((text) => text !== undefined)) return settingsOf(entry, references, known);
    const reads = secrets.map((mapping, index) => read(entry, references[index], mapping));
    return Promise.all(reads).then((texts) => settingsOf(entry, references, texts));
  };

  return (entry: ProviderEntry): MaybePromise<JsonObject> => {
    const { secrets = [], organisationId } = entry;
    if (secrets.length === 0) return none;
    const found = secrets.map(({ referenceId }) => host.directory('secretReference', organisationId, referenceId));
    return found.some((one) => one instanceof Promise)
      ? Promise.all(found).then((references) => fromReferences(entry, references))
      : fromReferences(entry, found as readonly Found[]);
  };
}

/** The reference may have been taken from the workspace after it was mapped. */
function reaches(found: Found, { workspaceId }: ProviderEntry): found is ReferenceEntry {
  return found !== undefined && found.workspaces?.includes(workspaceId) !== false;
}

function open(entry: ProviderEntry, found: Found): ReferenceEntry {
  if (reaches(found, entry)) return found;
  throw new SecretFault('missing');
}

function unavailable(host: Pick<Host, 'log'>, { referenceId, referenceSlug }: SecretMapping, thrown: unknown): never {
  const { kind, message } = faultOf(thrown);
  host.log.warn('secret_unavailable', { reference: referenceId, why: kind });
  throw new GatewayError('secret_unavailable', `The secret reference "${referenceSlug}" gave no secret. ${message}`);
}

function same(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
