import { type Guardrail, isGuardrail, type Manifest } from 'portcullis/sdk';
import { allOf } from '../loader/all-of.ts';
import { type FoundUnit, importUnit, importUnitNow } from '../loader/import-unit.ts';
import { served } from '../loader/served-unit.ts';
import type { GuardrailUnit } from './registry.ts';

/**
 * The guardrail units with their definitions: of units of others that are trusted by importing them, and of those that are not
 * from the sandbox. The built-in ones, which the tests of this repository import all, wait until they are asked for.
 * @param serving whether there are callers already: to them, what is wrong with a built-in unit's code is not told
 * @throws GatewayError `invalid_config`, a line for each fault
 */
export function loadGuardrails(
  units: readonly FoundUnit[],
  sandboxed: (unit: { readonly manifest: Manifest; readonly folder: string }) => Promise<Guardrail>,
  serving: () => boolean,
): Promise<readonly GuardrailUnit[]> {
  return allOf(
    units.map(async (unit): Promise<GuardrailUnit> => {
      const { manifest, trust } = unit;
      if (trust === 'built-in') return importedLater(unit, serving);
      const definition =
        trust === 'sandboxed' ? await sandboxed(unit) : (await importUnit(unit, isGuardrail)).definition;
      return { manifest, trust, definition };
    }),
  );
}

function importedLater(unit: FoundUnit, serving: () => boolean): GuardrailUnit {
  const { manifest, trust } = unit;
  const imported = () => importUnitNow(unit, isGuardrail);
  let definition: Guardrail | undefined;
  return {
    manifest,
    trust,
    get definition() {
      definition ??= serving() ? served(unit, imported) : imported();
      return definition;
    },
  };
}
