import { asString, GatewayError, type JsonObject, type Operation } from 'portcullis/sdk';
import { modelRecords } from '../entries.ts';
import { holds } from '../permission.ts';
import type { IntegrationRecord, StoredMapping } from '../records.ts';
import { placeNames, places } from './places.ts';

/** What an integration takes from secret managers, and where it sends that. */
export interface Lent {
  readonly mappings: readonly StoredMapping[];
  /** Those that are kept in clear. */
  readonly configurations: JsonObject;
}

/** Whoever holds it decides who gets to use the secret in any case. */
const permission = 'secret_references.update';

/**
 * A secret of a secret manager may be used by whoever makes integrations where its reference is open, and known to none of
 * them: so it goes to the vendor's own hosts. Somewhere else only those send it who manage the references.
 * @param integration the one that changes, whose models may have hosts of their own; undefined: a new one
 * @throws GatewayError `forbidden`, `param` the new place, or else the new mapping
 */
export async function demandLending(
  operation: Operation,
  integration: IntegrationRecord | undefined,
  before: Lent,
  after: Lent,
): Promise<void> {
  if (after.mappings.length === 0) return;
  const known = openPlaces(before);
  const chosen = openPlaces(after);
  for (const [name, value] of chosen) {
    if (known.get(name) !== value) demandReferences(operation, `configurations.${name}`);
  }
  const added = after.mappings.findIndex((one) => !before.mappings.some((other) => isSameSecret(one, other)));
  if (added === -1) return;
  if (chosen.size > 0 || (integration !== undefined && (await hasHostOfModel(operation, integration))))
    demandReferences(operation, `secret_mappings[${added}].secret_reference_id`);
}

/** The same for a host of one model. @param host the one that it is to have */
export function demandLendingToModel(
  operation: Operation,
  { secret_mappings: mappings }: IntegrationRecord,
  host: { readonly before: unknown; readonly after: unknown; readonly param: string },
): void {
  if (host.after == null || host.after === host.before || (mappings ?? []).length === 0) return;
  demandReferences(operation, host.param);
}

function demandReferences({ access }: Operation, param: string): void {
  if (holds(access, permission, undefined)) return;
  const text = `${param} would send what a secret reference holds to another place than the provider's own: this needs the permission ${permission}, which the caller does not have here.`;
  throw new GatewayError('forbidden', text, { param });
}

/** By their names; a place that is itself a secret is known by its reference. */
function openPlaces({ mappings, configurations }: Lent): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of placeNames) {
    if (places[name] === 'vendor') continue;
    const mapped = mappings.find(({ target_field }) => target_field === `configurations.${name}`);
    const value = mapped === undefined ? asString(configurations[name]) : nameOf(mapped);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

function nameOf({ secret_reference_id: id, secret_key: key }: StoredMapping): string {
  return `${id} ${key ?? ''}`;
}

function isSameSecret(one: StoredMapping, other: StoredMapping): boolean {
  return nameOf(one) === nameOf(other);
}

async function hasHostOfModel(operation: Operation, integration: IntegrationRecord): Promise<boolean> {
  return (await modelRecords(operation, integration)).some(({ custom_host: host }) => host != null);
}
