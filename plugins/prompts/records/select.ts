import { type Db, GatewayError } from 'portcullis/sdk';
import { versionOfLabel } from '../labels/assign.ts';
import { nouns } from './reach.ts';
import type { Kind, VersionedRecord, VersionRow } from './table.ts';
import { versionOf } from './versions.ts';

/** A version that is there, or a sentence that says why it is not. */
export type Selected = VersionRow | { readonly fault: string };

/**
 * @param selector `''` for the Published version, `latest`, a number, or for prompts the name of a label
 */
export async function selectVersion(db: Db, kind: Kind, record: VersionedRecord, selector: string): Promise<Selected> {
  const what = `The ${nouns[kind]} ${record.slug}`;
  const number = await numberOf(db, kind, record, selector);
  if (number === undefined) {
    const labelled = kind === 'prompts' ? '' : ' A partial is named by number or latest.';
    return {
      fault: `No version of the ${nouns[kind]} ${record.slug} carries the label "${selector.slice(0, 100)}".${labelled}`,
    };
  }
  const row = await versionOf(db, kind, record, number);
  return row ?? { fault: `${what} has no version ${selector.slice(0, 20)}: its latest is ${record.latest_version}.` };
}

/** @throws GatewayError `not_found`, param `version` */
export async function demandVersion(
  db: Db,
  kind: Kind,
  record: VersionedRecord,
  selector: string,
): Promise<VersionRow> {
  const selected = await selectVersion(db, kind, record, selector);
  if ('fault' in selected) throw new GatewayError('not_found', selected.fault, { param: 'version' });
  return selected;
}

async function numberOf(db: Db, kind: Kind, record: VersionedRecord, selector: string): Promise<number | undefined> {
  if (selector === '') return record.published_version;
  if (selector === 'latest') return record.latest_version;
  // Beyond what a column holds there is no version, and no database that takes the question.
  if (/^\d+$/.test(selector)) return selector.length > 9 ? 0 : Number(selector);
  return kind === 'prompts' ? versionOfLabel(db, record.organisation_id, record.id, selector) : undefined;
}
