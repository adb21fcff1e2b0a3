import type { Operation } from 'portcullis/sdk';
import { findInReach } from '../sharing/reach.ts';
import { bounds } from '../template/bounds.ts';
import { circle } from '../template/chains.ts';
import { type PartialReference, readPartialReference } from '../template/references.ts';
import type { PartialRecord } from './table.ts';
import { componentsOf, versionOf } from './versions.ts';

/**
 * What a version of a partial includes may not lead back to it. What variables name shows only when it is rendered.
 * @param next the partial as it will be, which says where its name leads
 * @param number of the version
 * @param included the references in it
 * @throws GatewayError `bad_request`, param `string`, naming the chain
 */
export async function refuseCircle(
  own: Operation,
  next: PartialRecord,
  number: number,
  included: readonly string[],
): Promise<void> {
  const seen = new Set<string>();

  const follow = async (references: readonly string[], above: readonly string[]): Promise<void> => {
    for (const text of references) {
      const reference = readPartialReference(text);
      const found = await findInReach<PartialRecord>(own, 'prompt_partials', own.scope, reference.name);
      if (found === undefined || found.status !== 'active') continue;
      const selected = numberOf(found.id === next.id ? next : found, reference);
      const chain = [...above, reference.selector === '' ? found.slug : `${found.slug}@${reference.selector}`];
      if (found.id === next.id && selected === number) throw circle(chain);
      const key = `${found.id}@${selected}`;
      // More than that are refused when they are rendered.
      if (seen.has(key) || seen.size > bounds.partials) continue;
      seen.add(key);
      const row = await versionOf(own.db, 'prompt_partials', found, selected);
      if (row !== undefined) await follow(componentsOf(row).partials, chain);
    }
  };
  await follow(included, [next.slug]);
}

function numberOf({ published_version, latest_version }: PartialRecord, { selector }: PartialReference): number {
  if (selector === '') return published_version;
  return selector === 'latest' ? latest_version : Number(selector);
}
