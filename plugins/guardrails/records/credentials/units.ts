import { type Checks, GatewayError, type JsonObject } from 'portcullis/sdk';

/** A guardrail unit that asks for credentials. */
export interface AskingUnit {
  readonly name: string;
  /** JSON Schema. */
  readonly schema: JsonObject;
  /** Ids of its checks. */
  readonly checks: readonly string[];
}

/** By name, in its order. */
export function askingUnits({ summaries }: Checks): readonly AskingUnit[] {
  const units = new Map<string, { name: string; schema: JsonObject; checks: string[] }>();
  for (const { id, unit, credentials } of summaries) {
    if (credentials === undefined) continue;
    const known = units.get(unit);
    if (known === undefined) units.set(unit, { name: unit, schema: credentials, checks: [id] });
    else known.checks.push(id);
  }
  return [...units.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws GatewayError `not_found` */
export function askingUnit(checks: Checks, name: string): AskingUnit {
  const found = askingUnits(checks).find((unit) => unit.name === name);
  if (found !== undefined) return found;
  throw new GatewayError(
    'not_found',
    `No guardrail unit that takes credentials has the name "${name.slice(0, 100)}": GET /plugins lists them.`,
    { param: 'name' },
  );
}
