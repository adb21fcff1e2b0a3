import { isDeepStrictEqual } from 'node:util';
import { GatewayError, isProvider, type Provider } from 'portcullis/sdk';
import { allOf } from './all-of.ts';
import { codeOf, type FoundUnit, importUnit, importUnitNow, type LoadedUnit } from './import-unit.ts';
import { providerFaults } from './provider-checks.ts';
import { type ListedSettings, readSettingsList, settingsOf } from './provider-settings.ts';
import { referenceOf } from './registry.ts';
import { served } from './served-unit.ts';

/**
 * A provider. Of a built-in one the code is imported when `definition` is read for the first time, which takes some
 * milliseconds and throws GatewayError `invalid_config` where it is at fault; what stands beside it is known without.
 */
export interface ProviderEntry extends LoadedUnit<Provider> {
  readonly settings: ListedSettings;
}

/** The definition of a provider that is needed while the gateway serves. @throws GatewayError `internal` */
export function servedDefinition(entry: ProviderEntry): Provider {
  return served(entry, () => entry.definition);
}

/**
 * Imports and checks the providers of others, whose faults are to be told at start. Those of this repository, which its
 * own tests hold to the same checks, wait until they are needed: a gateway serves few of them.
 * @param root the folder that holds `providers/`
 * @throws GatewayError `invalid_config`, a line for each fault
 */
export async function loadProviders(units: readonly FoundUnit[], root: string): Promise<readonly ProviderEntry[]> {
  const list = await readSettingsList(root);
  return allOf(
    units.map(async (unit) => {
      const { name } = unit.manifest;
      const listed = unit.trust === 'built-in' && Object.hasOwn(list, name) ? list[name] : undefined;
      return listed === undefined ? await importedNow(unit) : importedLater(unit, listed);
    }),
  );
}

async function importedNow(unit: FoundUnit): Promise<ProviderEntry> {
  const entry = await importUnit(unit, isProvider);
  checkProvider(unit, entry.definition);
  return { ...entry, settings: settingsOf(entry.definition) };
}

function importedLater(unit: FoundUnit, settings: ListedSettings): ProviderEntry {
  let definition: Provider | undefined;
  return {
    ...unit,
    settings,
    get definition() {
      definition ??= checkedNow(unit, settings);
      return definition;
    },
  };
}

function checkedNow(unit: FoundUnit, listed: ListedSettings): Provider {
  const definition = importUnitNow(unit, isProvider);
  checkProvider(unit, definition);
  if (isDeepStrictEqual(settingsOf(definition), listed)) return definition;
  const why = 'has other settings than providers/settings.json lists: run `npm run docs`';
  throw new GatewayError('invalid_config', `${codeOf(unit)}: ${referenceOf(unit.manifest)} ${why}.`);
}

function checkProvider(unit: FoundUnit, definition: Provider): void {
  const faults = providerFaults(unit.manifest, definition);
  if (faults.length === 0) return;
  const lines = faults.map((fault) => `${codeOf(unit)}: ${referenceOf(unit.manifest)} ${fault}.`);
  throw new GatewayError('invalid_config', lines.join('\n'));
}
