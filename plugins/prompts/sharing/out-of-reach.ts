import { asString, GatewayError, type Operation, type Scope } from 'portcullis/sdk';
import { selectVersion } from '../records/select.ts';
import type { Kind, PartialRecord, VersionedRecord, VersionRow } from '../records/table.ts';
import { componentsOf, knownVersion, textOf } from '../records/versions.ts';
import { readPartialReference } from '../template/references.ts';
import { findInReach } from './reach.ts';

/**
 * A copy that cannot be used is not made.
 * @throws GatewayError `bad_request` naming the provider that the workspace lacks, and each partial that it does not reach
 */
export async function refuseOutOfReach(
  operation: Operation,
  kind: Kind,
  source: VersionedRecord,
  workspaceId: string,
): Promise<void> {
  const scope = { organisationId: source.organisation_id, workspaceId };
  const version = await knownVersion(operation.db, kind, source, source.published_version);
  const lacked: string[] = [];
  const provider = asString(textOf(version).document.virtual_key) ?? '';
  if (provider !== '' && (await operation.records('providers').find(scope, provider)) === undefined)
    lacked.push(`the provider "${provider}"`);
  for (const reference of await partialsOutOfReach(operation, scope, version))
    lacked.push(`the partial "${reference}"`);
  if (lacked.length === 0) return;
  const workspace = await operation.records('workspaces').get({ organisationId: source.organisation_id }, workspaceId);
  throw new GatewayError(
    'bad_request',
    `The workspace ${workspace.slug} could not use a copy, for it does not have ${lacked.join(' and ')}: providers are made there, partials shared with it.`,
    { param: 'workspace_id' },
  );
}

/** As the templates name them, those that partials include counted in. */
async function partialsOutOfReach(operation: Operation, scope: Scope, version: VersionRow): Promise<readonly string[]> {
  const missing: string[] = [];
  const seen = new Set<string>();
  const open = [...componentsOf(version).partials];
  for (let reference = open.shift(); reference !== undefined; reference = open.shift()) {
    if (seen.has(reference)) continue;
    seen.add(reference);
    const found = await partialVersion(operation, scope, reference);
    if (found === undefined) missing.push(reference);
    else open.push(...componentsOf(found).partials);
  }
  return missing;
}

async function partialVersion(operation: Operation, scope: Scope, reference: string): Promise<VersionRow | undefined> {
  const { name, selector } = readPartialReference(reference);
  const partial = await findInReach<PartialRecord>(operation, 'prompt_partials', scope, name);
  if (partial === undefined || partial.status !== 'active') return undefined;
  const selected = await selectVersion(operation.db, 'prompt_partials', partial, selector);
  return 'fault' in selected ? undefined : selected;
}
