import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GatewayError, isGuardrail, isPlugin, isProvider, type Manifest } from 'portcullis/sdk';
import type { UnitFolder } from './discover.ts';

/** A unit whose manifest has been read, and nothing else of it. */
export interface FoundUnit {
  readonly manifest: Manifest;
  /** Absolute path. */
  readonly folder: string;
  readonly trust: UnitFolder['trust'];
}

export interface LoadedUnit<Definition> extends FoundUnit {
  readonly definition: Definition;
}

type IsDeclared<Definition> = (value: unknown) => value is Definition;

/** Imports the code of a unit into this process. @throws GatewayError `invalid_config` */
export async function importUnit<Definition>(
  unit: FoundUnit,
  isDeclared: IsDeclared<Definition>,
): Promise<LoadedUnit<Definition>> {
  const { manifest, folder, trust } = unit;
  const file = codeOf(unit);
  const module: unknown = await import(pathToFileURL(file).href).catch((cause: unknown) => unimportable(file, cause));
  return { manifest, folder, trust, definition: declaredIn(module, unit, isDeclared) };
}

const requireModule = createRequire(import.meta.url);

/**
 * As `importUnit`, but at once: the process waits for it. The module is the one that an import gets. For units whose code
 * awaits nothing at its top level, and which nobody imports at the same time: Node refuses both.
 * @throws GatewayError `invalid_config`
 */
export function importUnitNow<Definition>(unit: FoundUnit, isDeclared: IsDeclared<Definition>): Definition {
  const file = codeOf(unit);
  let module: unknown;
  try {
    module = requireModule(file);
  } catch (cause) {
    unimportable(file, cause);
  }
  return declaredIn(module, unit, isDeclared);
}

/** The file that a unit's code begins in. */
export function codeOf({ folder }: Pick<FoundUnit, 'folder'>): string {
  return join(folder, 'index.ts');
}

function unimportable(file: string, cause: unknown): never {
  const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : 'it threw something that is no error';
  throw new GatewayError('invalid_config', `${file} cannot be imported. ${why}`, { cause });
}

function declaredIn<Definition>(module: unknown, unit: FoundUnit, isDeclared: IsDeclared<Definition>): Definition {
  const definition: unknown = (module as { default?: unknown }).default;
  if (isDeclared(definition)) return definition;
  const { kind } = unit.manifest;
  const declared = [
    [isProvider, 'provider'],
    [isPlugin, 'plugin'],
    [isGuardrail, 'guardrail'],
  ] as const;
  const actual = declared.find(([is]) => is(definition))?.[1];
  const other = actual === undefined ? '' : `, but it is a ${actual}`;
  throw new GatewayError(
    'invalid_config',
    `${codeOf(unit)}: the default export must be what ${kind}() of portcullis/sdk returns, for plugin.json says kind ${kind}${other}.`,
  );
}
