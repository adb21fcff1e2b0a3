import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asObject, GatewayError, type Provider } from 'portcullis/sdk';

/** The settings of a provider: by its own name for each, the native header that supplies it, null where there is none. */
export type ListedSettings = Readonly<Record<string, string | null>>;

/** By the names of built-in providers. */
export type SettingsList = Readonly<Record<string, ListedSettings>>;

/** What the list says of a provider, from its code. */
export function settingsOf({ settings }: Provider): ListedSettings {
  const entries = Object.entries(settings.properties).map(([name, schema]) => {
    const header: unknown = (schema as { 'x-header'?: unknown })['x-header'];
    return [name, typeof header === 'string' ? header : null] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Reads `providers/settings.json`, by which the settings of built-in providers are known before their code is imported.
 * @param root the folder that holds `providers/`
 * @returns an empty list where there is no such file
 * @throws GatewayError `invalid_config` where it cannot be read or is no JSON object
 */
export async function readSettingsList(root: string): Promise<SettingsList> {
  const file = join(root, 'providers', 'settings.json');
  try {
    const list = asObject(JSON.parse(await readFile(file, 'utf8')));
    if (list === undefined) throw new Error('it is no object');
    // Generated beside the code, and held against it whenever a provider is imported.
    return list as SettingsList;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new GatewayError('invalid_config', `${file} cannot be used: ${(cause as Error).message}.`, { cause });
  }
}

/** The text of `providers/settings.json`. */
export function settingsListText(
  providers: readonly { readonly name: string; readonly definition: Provider }[],
): string {
  const list: SettingsList = Object.fromEntries(
    providers.map(({ name, definition }) => [name, settingsOf(definition)]),
  );
  return `${JSON.stringify(list, undefined, 2)}\n`;
}
