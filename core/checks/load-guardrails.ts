import { type Guardrail, isGuardrail, type Manifest } from 'portcullis/sdk';
import { allOf, type FoundUnit, importUnit } from '../loader/load.ts';
import type { GuardrailUnit } from './registry.ts';

/**
 * Gets the definitions of all guardrail units: of those that are trusted by importing them, of the others from the sandbox.
 * @throws GatewayError `invalid_config`, a line for each fault
 */
export function loadGuardrails(
  units: readonly FoundUnit[],
  sandboxed: (unit: { readonly manifest: Manifest; readonly folder: string }) => Promise<Guardrail>,
): Promise<readonly GuardrailUnit[]> {
  return allOf(
    units.map(async (unit): Promise<GuardrailUnit> => {
      const { manifest, trust } = unit;
      const definition =
        trust === 'sandboxed' ? await sandboxed(unit) : (await importUnit(unit, isGuardrail)).definition;
      return { manifest, trust, definition };
    }),
  );
}
