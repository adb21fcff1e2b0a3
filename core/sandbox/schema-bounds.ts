import { asArray, asObject, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { linearExpression } from '../config/linear-expression.ts';

/** What stands below a keyword: nothing that is a schema, one, a list of them, some by name; patterns; some by patterns. */
type Below = 'nothing' | 'schema' | 'schemas' | 'named' | 'pattern' | 'patterns';

const keywordsOf: Readonly<Record<Below, string>> = {
  nothing: `type required enum const default title description examples deprecated readOnly writeOnly accepts format
    minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties`,
  schema: 'items additionalProperties not if then else',
  schemas: 'prefixItems anyOf oneOf allOf',
  named: 'properties',
  pattern: 'pattern',
  patterns: 'patternProperties',
};
const keywords = new Map(
  Object.entries(keywordsOf).flatMap(([below, names]) => names.split(/\s+/).map((name) => [name, below as Below])),
);

/** Levels of JSON: two of them for most levels of the schema. */
const maxDepth = 40;
const maxNodes = 2000;
/** Defaults are copied into each item of a list. */
const maxDefaultNodes = 100;
/** What does not fit costs an error for each option, at each value that it is held against. */
const maxOptions = 32;
/** The more they cost, the less is held against them: beside so much, 2.5 KB. */
const maxPatternCost = 512;
const optional = new Set(['anyOf', 'oneOf', 'not', 'if']);

/**
 * The gateway holds what callers send against the schemas of units that it does not trust, in its own thread: each schema must be
 * small, and of keywords that take no time.
 * @throws GatewayError `invalid_config` with the place
 */
export function refuseCostly(schema: JsonObject, where: string): void {
  const fault = treeFault(schema, where) ?? schemaFault(schema, where, { left: maxPatternCost });
  if (fault !== undefined) throw new GatewayError('invalid_config', fault);
}

function treeFault(schema: JsonObject, where: string): string | undefined {
  const left = { nodes: maxNodes, defaults: maxDefaultNodes, options: maxOptions };
  const visit = (value: Json, depth: number, inDefault: boolean): string | undefined => {
    left.nodes -= 1;
    if (inDefault) left.defaults -= 1;
    if (depth > maxDepth) return `${where}: the schema is nested more than ${maxDepth} levels of JSON deep.`;
    if (left.nodes < 0) return `${where}: the schema has more than ${maxNodes} values.`;
    if (left.defaults < 0) return `${where}: the defaults of the schema have more than ${maxDefaultNodes} values.`;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [key, member] of Object.entries(value) as readonly [string, Json][]) {
      // A name or a reference in a schema would reach into those of others.
      if (key.startsWith('$') || key === '__proto__')
        return `${where}: ${key} is not accepted in the schemas of a sandboxed unit.`;
      if (optional.has(key)) left.options -= Array.isArray(member) ? member.length : 1;
      if (left.options < 0)
        return `${where}: the schema has more than ${maxOptions} options in anyOf, oneOf, not and if.`;
      const fault = visit(member, depth + 1, inDefault || key === 'default');
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return visit(schema, 0, false);
}

/** What the patterns of a schema may cost together. */
interface Costs {
  left: number;
}

function schemaFault(schema: JsonObject, at: string, costs: Costs): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const fault = keywordFault(keyword, value, `${at}.${keyword}`, costs);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function keywordFault(keyword: string, value: Json, at: string, costs: Costs): string | undefined {
  const below = keyword.startsWith('x-') ? 'nothing' : keywords.get(keyword);
  if (below === undefined)
    return `${at} is not accepted in the schemas of a sandboxed unit: look at the value in prepare instead.`;
  switch (below) {
    case 'nothing':
      return undefined;
    case 'schema':
      return firstFault([['', value]], at, costs);
    case 'schemas':
      return firstFault(
        asArray(value).map((one, index) => [`[${index}]`, one]),
        at,
        costs,
      );
    case 'named':
      return firstFault(membersOf(value), at, costs);
    case 'pattern':
      return typeof value === 'string' ? patternFault(value, at, costs) : undefined;
    case 'patterns': {
      const patterns = Object.keys(asObject(value) ?? {});
      const faults = patterns.map((pattern) => patternFault(pattern, at, costs));
      return faults.find((fault) => fault !== undefined) ?? firstFault(membersOf(value), at, costs);
    }
  }
}

function membersOf(value: Json): readonly (readonly [string, Json])[] {
  return Object.entries(asObject(value) ?? {}).map(([name, one]) => [`.${name}`, one]);
}

function firstFault(schemas: readonly (readonly [string, Json])[], at: string, costs: Costs): string | undefined {
  for (const [name, value] of schemas) {
    const schema = asObject(value);
    const fault = schema === undefined ? undefined : schemaFault(schema, `${at}${name}`, costs);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function patternFault(pattern: string, at: string, costs: Costs): string | undefined {
  const refused = `${at}: ${JSON.stringify(pattern.slice(0, 100))} is not accepted in the schemas of a sandboxed unit: `;
  try {
    costs.left -= linearExpression(pattern).cost;
  } catch (cause) {
    if (!GatewayError.is(cause)) throw cause;
    return `${refused}${cause.message}`;
  }
  if (costs.left >= 0) return undefined;
  return `${refused}the patterns of the schema take too long together. Use fewer and simpler ones, or look at the value in prepare.`;
}
