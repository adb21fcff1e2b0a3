import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { GatewayError, type Manifest, manifestSchema, sdkVersion } from 'portcullis/sdk';
import semver from 'semver';
import { faultSentence, type SchemaFault, schemaFaults } from '../config/schema-faults.ts';
import { validatorOf } from '../config/validator.ts';
import { manifestName, type UnitFolder } from './discover.ts';

/**
 * Reads a unit's `plugin.json` and checks it; no code of the unit has run by then.
 * @throws GatewayError `invalid_config` with a line for each fault: file, field, reason
 */
export function readManifest(folder: Pick<UnitFolder, 'path' | 'kind'>): Manifest {
  const file = join(folder.path, manifestName);
  const json = parsed(textOf(file), file);
  const check = validatorOf(manifestSchema);
  const faults = check(json) ? misfits(json as Manifest, folder) : schemaFaults(check.errors, json);
  const [first] = faults;
  if (first === undefined) return json as Manifest;
  const lines = faults.map((fault) => `${file}: ${faultSentence(fault, 'The manifest')}`);
  throw new GatewayError('invalid_config', lines.join('\n'), { param: String(first.path[0] ?? '') });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code = 'unknown reason' } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'is missing: every unit has one' : `cannot be read (${code})`;
    throw new GatewayError('invalid_config', `${file} ${why}.`, { cause });
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('invalid_config', `${file} is not JSON: ${(cause as Error).message}.`, { cause });
  }
}

function misfits(manifest: Manifest, folder: Pick<UnitFolder, 'path' | 'kind'>): readonly SchemaFault[] {
  const { name, kind, version, sdk, phases = [], serves, permissions } = manifest;
  const isPlugin = kind === 'plugin';
  const rules: readonly [boolean, string, string][] = [
    [name !== basename(folder.path), 'name', `must be that of its folder, ${basename(folder.path)}`],
    [folder.kind !== undefined && kind !== folder.kind, 'kind', `must be ${folder.kind}, as for all units beside it`],
    [semver.valid(version) !== version, 'version', 'must be a semantic version such as 1.0.0'],
    [semver.validRange(sdk) === null, 'sdk', 'must be a semver range such as ^1.0.0'],
    [
      semver.validRange(sdk) !== null && !semver.satisfies(sdkVersion, sdk),
      'sdk',
      `does not admit the sdk of this gateway, ${sdkVersion}`,
    ],
    [
      isPlugin && phases.length === 0 && manifest.control !== true,
      'phases',
      'must name at least one phase, unless "control" is true: a plugin with neither can never run',
    ],
    [!isPlugin && manifest.control !== undefined, 'control', 'is for plugins only'],
    [
      manifest.tables !== undefined && manifest.control !== true,
      'tables',
      'is for plugins of the control plane: "control" must be true beside it',
    ],
    [!isPlugin && manifest.phases !== undefined, 'phases', 'is for plugins only'],
    [!isPlugin && serves !== undefined, 'serves', 'is for plugins only'],
  ];
  const broken = rules
    .filter(([applies]) => applies)
    .map(([, field, reason]): SchemaFault => ({ path: [field], reason }));
  const places = (permissions?.net ?? []).flatMap((entry, index): SchemaFault[] => {
    const why = placeFault(entry);
    return why === undefined ? [] : [{ path: ['permissions', 'net', index], reason: why }];
  });
  return [...broken, ...places];
}

function placeFault(entry: string): string | undefined {
  const [host = '', port] = entry.split(':');
  if (host === '*' && port === '*') return undefined;
  if (host.replace(/^\*\./, '').includes('*'))
    return 'must be host:port; a star stands only for subdomains, as in *.example.com:443';
  if (port === '*') return undefined;
  return Number(port) >= 1 && Number(port) <= 65_535 ? undefined : 'must name a port from 1 to 65535, or * for all';
}
