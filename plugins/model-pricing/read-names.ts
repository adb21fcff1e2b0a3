import { asObject, asString, type Json, type JsonObject } from 'portcullis/sdk';
import type { NameRule, Tools, ToolUnits } from './prices.ts';
import { refuse } from './read-rates.ts';

/** `{ "<tool>": { "each": "<unit>", "once": "<unit>" } }`. @throws GatewayError `invalid_config` */
export function readTools(json: Json | undefined, where: string): Tools {
  return new Map(
    Object.entries(membersOf(json, where)).map(([tool, value]) => {
      const { each, once, ...others } = asObject(value) ?? refuse(`${where}.${tool}`, 'must be an object');
      const units = [each, once].filter((unit) => unit !== undefined);
      if (Object.keys(others).length > 0 || units.some((unit) => typeof unit !== 'string')) {
        refuse(`${where}.${tool}`, 'may have the names of two units: each and once');
      }
      return [tool, { each, once } as ToolUnits];
    }),
  );
}

/** `[{ "pattern": "^us\\.(?<model>.+)$", "provider": "..." }]`. @throws GatewayError `invalid_config` */
export function readNames(json: Json | undefined, where: string): readonly NameRule[] {
  if (json === undefined) return [];
  if (!Array.isArray(json)) return refuse(where, 'must be a list of patterns');
  return json.map((entry: Json, index) => ruleOf(asObject(entry) ?? {}, `${where}[${index}]`));
}

function ruleOf({ pattern, provider }: JsonObject, where: string): NameRule {
  const text = asString(pattern);
  if (text?.includes('(?<model>') !== true) return refuse(where, 'must have a pattern with a group of the name model');
  if (provider !== undefined && typeof provider !== 'string') return refuse(where, 'must name its provider by a text');
  return { pattern: expressionOf(text, where), ...(provider === undefined ? {} : { provider }) };
}

function expressionOf(text: string, where: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (cause) {
    return refuse(where, `has a pattern that is none: ${(cause as Error).message}`);
  }
}

/** `{ "<alias>": "<model>" }`. @throws GatewayError `invalid_config` */
export function readAliases(json: Json | undefined, where: string): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(membersOf(json, where)).map(([alias, model]) => {
      if (typeof model === 'string') return [alias, model];
      return refuse(where, `has the alias ${alias}, which must be the name of a model`);
    }),
  );
}

function membersOf(json: Json | undefined, where: string): JsonObject {
  return json === undefined ? {} : (asObject(json) ?? refuse(where, 'must be an object'));
}
