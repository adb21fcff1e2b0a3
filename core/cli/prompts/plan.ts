import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from 'portcullis/sdk';
import type { Api } from './api.ts';
import { type Collections, collectionsOf } from './collections.ts';
import { type Content, versionChanges } from './content.ts';
import { faultAt, type PromptFile, pathOf } from './file-form.ts';
import { inCollections, type Match, matched, partialNames } from './match.ts';
import {
  type GatewayRecord,
  latestVersion,
  pathOfRecord,
  publishedNumber,
  recordsOf,
  type Version,
} from './records.ts';
import { partialsIn, withPartialsNamed } from './references.ts';

/** A file beside what the gateway has of it, both in the folder's own names for partials. */
export interface Step {
  readonly file: PromptFile;
  readonly wanted: Content;
  readonly record: GatewayRecord | undefined;
  readonly latest: Version | undefined;
  readonly publishes: boolean;
}

export interface Plan {
  readonly collections: Collections;
  /** In the order in which they can be done: a partial after those that it includes, prompts after all partials. */
  readonly steps: readonly Step[];
  /** Slugs on the gateway by those in the folder, as far as they are there. */
  readonly slugs: ReadonlyMap<string, string>;
}

/**
 * Compares files with the gateway; changes nothing.
 * @throws GatewayError with a line for each file that cannot be imported
 */
export async function planOf(api: Api, files: readonly PromptFile[], publish: boolean): Promise<Plan> {
  const collections = await collectionsOf(api);
  const matches = matched(
    inOrder(files).map((file) => inCollections(file, collections)),
    await recordsOf(api, collections),
  );
  const slugs = partialNames(matches, 'to the gateway');
  await checkPartials(api, files, slugs);
  const names = partialNames(matches, 'to the folder');
  const steps: Step[] = [];
  for (const match of matches) steps.push(await stepOf(api, match, { collections, names, publish }));
  return { collections, steps, slugs };
}

export function isMade({ record }: Step): boolean {
  return record === undefined;
}

export function isChanged({ latest, wanted }: Step): boolean {
  return latest !== undefined && !isDeepStrictEqual(latest.content, wanted);
}

async function stepOf(
  api: Api,
  { file, record }: Match,
  how: {
    readonly collections: Collections;
    readonly names: ReadonlyMap<string, string>;
    readonly publish: boolean;
  },
): Promise<Step> {
  const wanted = withPartialsNamed(file.content, how.names);
  if (record === undefined) return { file, wanted, record, latest: undefined, publishes: false };
  const { number, content } = await latestVersion(api, record, how.collections);
  const latest = { number, content: withPartialsNamed(content, how.names) };
  const isNew = versionChanges(file.kind, latest.content, wanted).length > 0;
  const publishes = how.publish && (isNew || (await publishedNumber(api, record)) !== number);
  return { file, wanted, record, latest, publishes };
}

/** @throws GatewayError for partials that include each other in a circle */
function inOrder(files: readonly PromptFile[]): readonly PromptFile[] {
  const partials = new Map(files.filter(({ kind }) => kind === 'partials').map((file) => [file.slug, file]));
  const ordered = new Set<PromptFile>();
  const add = (file: PromptFile, above: readonly string[]) => {
    if (ordered.has(file)) return;
    if (above.includes(file.slug)) {
      const circle = [...above.slice(above.indexOf(file.slug)), file.slug].join(' > ');
      const sentence = `template includes itself: ${circle}.`;
      throw new GatewayError('invalid_config', faultAt(pathOf(file), file.placeOf(['template']), sentence));
    }
    for (const name of partialsIn(file.content)) {
      const included = partials.get(name);
      if (included !== undefined) add(included, [...above, file.slug]);
    }
    ordered.add(file);
  };
  for (const file of partials.values()) add(file, []);
  for (const file of files) ordered.add(file);
  return [...ordered];
}

/** A partial is a file of the folder, or one that the gateway has: of the workspace itself, or shared with it. */
async function checkPartials(
  api: Api,
  files: readonly PromptFile[],
  slugs: ReadonlyMap<string, string>,
): Promise<void> {
  const here = new Set(files.filter(({ kind }) => kind === 'partials').map(({ slug }) => slug));
  const known = new Map<string, boolean>();
  for (const name of slugs.values()) known.set(name, true);
  const faults: string[] = [];
  for (const file of files) {
    for (const name of partialsIn(file.content)) {
      if (here.has(name)) continue;
      const there = known.get(name) ?? (await api.find(pathOfRecord({ kind: 'partials', slug: name }))) !== undefined;
      known.set(name, there);
      if (there) continue;
      const sentence = `template includes the partial ${name}, which is neither a file of the folder nor on the gateway.`;
      faults.push(faultAt(pathOf(file), file.placeOf(['template']), sentence));
    }
  }
  if (faults.length > 0) throw new GatewayError('invalid_config', faults.join('\n'));
}
