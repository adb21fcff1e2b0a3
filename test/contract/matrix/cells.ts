import type { Endpoint } from 'portcullis/sdk';
import type { ProviderEntry } from '../../../core/loader/providers.ts';
import { compileProvider, type ProviderUnit } from '../../../core/upstream/provider-unit.ts';
import { cases, entries, type MatrixCase } from './cases.ts';
import { askingOf, type Built, outboundFor } from './replay.ts';

/** A recording with the request that it leads to. */
export interface Cell {
  readonly recorded: MatrixCase;
  readonly unit: ProviderUnit;
  readonly built: Built;
  /** Where the request goes: the endpoint that serves it, before which stands the family of models that has it. */
  readonly place: string;
}

export const units: ReadonlyMap<ProviderEntry, ProviderUnit> = new Map(
  entries.map((entry) => [entry, compileProvider(entry.manifest, entry.definition)]),
);

export async function cellOf(recorded: MatrixCase): Promise<Cell> {
  const unit = unitOf(recorded.entry);
  const built = await outboundFor(askingOf(recorded, unit));
  return { recorded, unit, built, place: placeOf(recorded.entry, built) };
}

export const cells: readonly Cell[] = await Promise.all(cases.map(cellOf));

export function unitOf(entry: ProviderEntry): ProviderUnit {
  const unit = units.get(entry);
  if (unit === undefined) throw new Error(`${entry.manifest.name} is none of the providers.`);
  return unit;
}

function placeOf({ definition }: ProviderEntry, { outbound: { chosen, facts, settings } }: Built): string {
  const family = definition.families?.find(({ fits }) => fits(facts.model, settings.settings));
  const special = family?.endpoints[chosen.endpoint] === chosen.spec ? family?.name : undefined;
  return placeNamed(chosen.endpoint, special);
}

export function placeNamed(endpoint: Endpoint, family: string | undefined): string {
  return family === undefined ? endpoint : `${family}:${endpoint}`;
}
