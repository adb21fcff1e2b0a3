import { basename, join, resolve } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import { writeTemplate } from '../packages/template.ts';
import type { Console } from './command.ts';
import type { PluginOptions } from './plugin.ts';

/** Writes a guardrail to start from. The folder is the unit's own; with a name of another, it is the one that the unit's is put in. */
export async function create(path: string, { name: given }: PluginOptions, out: Console): Promise<number> {
  const place = resolve(path);
  const name = given ?? basename(place);
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    const text = `A plugin cannot be named ${JSON.stringify(name)}: use lower-case letters, digits and dashes, at most 64.`;
    throw new GatewayError('bad_request', text, { param: 'name' });
  }
  const folder = basename(place) === name ? place : join(place, name);
  const written = await writeTemplate(folder, name);
  out.print(
    `${folder}:\n${written.map((file) => `  ${file}`).join('\n')}\n\nNext: portcullis plugin test ${path}${folder === place ? '' : `/${name}`}`,
  );
  return 0;
}
