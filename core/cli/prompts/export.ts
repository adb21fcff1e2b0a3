import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from 'portcullis/sdk';
import type { Console } from '../command.ts';
import type { Api } from './api.ts';
import { collectionsOf } from './collections.ts';
import type { Content, Kind } from './content.ts';
import { fileText, pathOf, readFile } from './file-form.ts';
import { readFolder, writeFiles } from './folder.ts';
import { inCollections, matched, partialNames } from './match.ts';
import { type GatewayRecord, latestVersion, recordsOf } from './records.ts';
import { withPartialsNamed } from './references.ts';

/**
 * Writes the latest version of each prompt and partial of the workspace into its file. A file that says the same already
 * keeps its bytes, comments and all; one that stands for something under another slug keeps its name. None is deleted.
 */
export async function exportPrompts(folder: string, api: Api, out: Console): Promise<number> {
  const collections = await collectionsOf(api);
  const files = (await readFolder(folder)).map((file) => inCollections(file, collections));
  const records = await recordsOf(api, collections);
  const matches = matched(files, records);
  const fileOf = new Map(matches.map(({ file, record }) => [record, file]));
  const names = partialNames(matches, 'to the folder');
  const written: { kind: Kind; slug: string; text: string }[] = [];
  for (const record of records) {
    const { content: latest } = await latestVersion(api, record, collections);
    const content = withPartialsNamed(latest, names);
    const file = fileOf.get(record);
    const known = file === undefined ? undefined : withPartialsNamed(file.content, names);
    if (!isDeepStrictEqual(known, content))
      written.push({ kind: record.kind, slug: file?.slug ?? record.slug, text: textOf(record, content) });
  }
  await writeFiles(folder, written);
  for (const file of written) out.print(`${pathOf(file)}: written.`);
  for (const { file, record } of matches) {
    if (record === undefined) out.complain(`${pathOf(file)}: the gateway has none of it; the file stays as it is.`);
  }
  out.print(`${written.length} written, ${records.length - written.length} as they were.`);
  return 0;
}

/** @throws GatewayError for what would not come back from its file as it is on the gateway */
function textOf({ kind, slug }: GatewayRecord, content: Content): string {
  const text = fileText(content);
  const read = readFile(kind, 'read-back', text);
  const why = 'faults' in read ? read.faults.join('\n') : undefined;
  if (!('faults' in read) && isDeepStrictEqual(read.content, content)) return text;
  throw new GatewayError(
    'bad_request',
    `${kind}/${slug} cannot be written as a file that says the same.${why === undefined ? '' : `\n${why}`}`,
  );
}
