import { basename } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import semver from 'semver';
import { manifestSchema } from '../../contracts/manifest.ts';
import { isGuardrail } from '../../define.ts';
import { sdkVersion } from '../../index.ts';
import { type ConformanceResult, type GuardrailUnit, resultOf, warningOf } from './report.ts';
import { boundFaults, secretFaults, unnamedFields } from './schemas.ts';

const fitsSchema = new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(manifestSchema);

/** The manifest, the range of the sdk, and what the unit declares without being run. */
export function manifestResults({ folder, manifest, definition }: GuardrailUnit): readonly ConformanceResult[] {
  const shape = fitsSchema(manifest)
    ? []
    : (fitsSchema.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'It'} ${message}`);
  const rules: readonly [boolean, string][] = [
    [manifest.name !== basename(folder), `name must be that of the folder, ${basename(folder)}`],
    [manifest.kind !== 'guardrail', 'kind must be guardrail'],
    [semver.valid(manifest.version) !== manifest.version, 'version must be a semantic version such as 1.0.0'],
    [!semver.satisfies(sdkVersion, manifest.sdk), `sdk must be a range that admits ${sdkVersion}`],
    [manifest.phases !== undefined || manifest.serves !== undefined, 'phases and serves are for plugins'],
    [manifest.control !== undefined || manifest.tables !== undefined, 'control and tables are for plugins'],
  ];
  const broken = rules.filter(([applies]) => applies).map(([, text]) => text);
  const { credentials } = definition;
  const noSecret = credentials !== undefined && !JSON.stringify(credentials).includes('"x-secret":true');
  return [
    resultOf('unit', 'has a manifest that the gateway accepts', [...shape, ...broken]),
    resultOf('unit', 'exports guardrail({ checks }) with checks in it', [
      ...(isGuardrail(definition) ? [] : ['index.ts must export what guardrail() gives.']),
      ...(Object.keys(definition.checks).length > 0 ? [] : ['There is no check.']),
    ]),
    resultOf('unit', 'has credentials of a closed schema, bounded, and marks the secret ones', [
      ...(credentials === undefined ? [] : [...boundFaults(credentials, 'credentials'), ...secretFaults(credentials)]),
    ]),
    warningOf('unit', 'has a secret among its credentials', noSecret ? ['None is marked with secret().'] : []),
  ];
}

const longestTitle = 80;

/** What a check declares without being run. */
export function declarationResults(name: string, { definition }: GuardrailUnit): readonly ConformanceResult[] {
  const check = definition.checks[name];
  if (check === undefined) return [];
  const title = check.title.trim() === '' || check.title.length > longestTitle;
  const time = check.remote !== undefined && !(check.remote.timeoutMs >= 1 && check.remote.timeoutMs <= 600_000);
  const rules: readonly [boolean, string][] = [
    [title, `title must have 1 to ${longestTitle} characters`],
    [check.phases.length === 0, 'phases must name one at least'],
    [time, 'remote.timeoutMs must be 1 to 600000'],
    [/^[a-zA-Z][a-zA-Z0-9]*$/.test(name) === false, 'its name must be letters and digits'],
  ];
  return [
    resultOf(
      name,
      'says what it is',
      rules.filter(([applies]) => applies).map(([, text]) => text),
      check.title,
    ),
    resultOf(name, 'takes parameters of a closed schema, bounded, and no secrets among them', [
      ...boundFaults(check.config, 'parameters'),
      ...secretFaults(check.config),
    ]),
    warningOf(name, 'says what its parameters mean', unnamedFields(check.config)),
  ];
}
