import { asArray, GatewayError } from 'portcullis/sdk';
import type { Collections } from './collections.ts';
import type { Content, Kind } from './content.ts';
import { faultAt, type PromptFile, pathOf } from './file-form.ts';
import type { GatewayRecord } from './records.ts';

export interface Match {
  readonly file: PromptFile;
  /** Undefined: the gateway has none yet. */
  readonly record: GatewayRecord | undefined;
}

/**
 * Finds what each file stands for: the record that has the file's name as its slug; where there is none, the one record
 * of that name in that collection, for slugs are given by gateways and another gateway gives others.
 * @throws GatewayError `invalid_config`, a line for each file that could stand for several, or does so with another
 */
export function matched(files: readonly PromptFile[], records: readonly GatewayRecord[]): readonly Match[] {
  const keyOf = (kind: Kind, slug: string) => `${kind}/${slug}`;
  const bySlug = new Map(records.map((record) => [keyOf(record.kind, record.slug), record]));
  const named = new Set(files.map(({ kind, slug }) => keyOf(kind, slug)));
  const byPlace = Map.groupBy(
    records.filter(({ kind, slug }) => !named.has(keyOf(kind, slug))),
    placeOfRecord,
  );
  const others = files.filter(({ kind, slug }) => !bySlug.has(keyOf(kind, slug)));
  const rivals = Map.groupBy(others, placeOfFile);
  const faults = others.flatMap((file) => {
    const fault = faultOf(file, rivals.get(placeOfFile(file)) ?? [], byPlace.get(placeOfFile(file)) ?? []);
    return fault === undefined ? [] : [faultAt(pathOf(file), file.placeOf(['name']), `name ${fault}`)];
  });
  if (faults.length > 0) throw new GatewayError('invalid_config', faults.join('\n'));
  return files.map((file) => ({
    file,
    record: bySlug.get(keyOf(file.kind, file.slug)) ?? byPlace.get(placeOfFile(file))?.[0],
  }));
}

function faultOf(
  file: PromptFile,
  rivals: readonly PromptFile[],
  records: readonly GatewayRecord[],
): string | undefined {
  const rival = rivals.find((other) => other !== file);
  if (rival !== undefined)
    return `is that of ${pathOf(rival)} too, in the same collection, and the gateway knows neither by its slug.`;
  if (records.length < 2) return undefined;
  const slugs = records.map(({ slug }) => slug).join(', ');
  return `is that of ${records.length} on the gateway, in the same collection (${slugs}): name the file by the slug of one.`;
}

function placeOfRecord({ kind, name, collection }: GatewayRecord): string {
  return JSON.stringify([kind, name, collection ?? []]);
}

function placeOfFile({ kind, content }: PromptFile): string {
  return JSON.stringify([kind, content.name, asArray(content.collection)]);
}

/** The file with the default collection left unnamed, as the gateway's own form has it. */
export function inCollections(file: PromptFile, collections: Collections): PromptFile {
  const names = collectionOf(file.content);
  const id = names === undefined ? undefined : collections.idOf(names);
  if (id === undefined || collections.pathOf(id) !== undefined) return file;
  const { collection: _, ...content } = file.content;
  return { ...file, content };
}

export function collectionOf({ collection }: Content): readonly string[] | undefined {
  return collection === undefined ? undefined : asArray(collection).map(String);
}

/** Slugs of partials, from the one side to the other. */
export function partialNames(
  matches: readonly Match[],
  direction: 'to the folder' | 'to the gateway',
): ReadonlyMap<string, string> {
  const pairs = matches.flatMap(({ file, record }) =>
    file.kind === 'partials' && record !== undefined ? [[file.slug, record.slug] as const] : [],
  );
  return new Map(direction === 'to the gateway' ? pairs : pairs.map(([own, theirs]) => [theirs, own] as const));
}
