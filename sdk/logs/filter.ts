import type { LogFilter, Range } from '../contracts/logs.ts';
import { GatewayError } from '../errors.ts';
import { field, several } from '../fields.ts';
import { asObject, parseJson } from '../json.ts';
import { plainNumber } from '../plain-number.ts';
import { schema } from '../schema.ts';
import { nanoOfCents } from './money.ts';
import type { LogPeriod } from './period.ts';

/** Where the caller may look. */
export type LogPlace = Pick<LogFilter, 'organisationId' | 'workspaceIds' | 'keyIds'>;

type Given = Readonly<Record<string, unknown>>;

const ranges = {
  total_units: { name: 'totalTokens', least: 0 },
  prompt_token: { name: 'inputTokens', least: 0 },
  completion_token: { name: 'outputTokens', least: 0 },
  cost: { name: 'costNanoUsd', least: 0 },
  weighted_feedback: { name: 'weightedFeedback', least: -10, most: 10 },
} as const satisfies Readonly<Record<string, { name: keyof LogFilter; least: number; most?: number }>>;

const lists = {
  virtual_keys: 'providerSlugs',
  configs: 'configSlugs',
  prompt_slug: 'promptSlugs',
  trace_id: 'traceIds',
  span_id: 'spanIds',
  endpoint: 'endpoints',
  user: 'users',
} as const satisfies Readonly<Record<string, keyof LogFilter>>;

const mostValues = 200;

const one = (description: string) => field.text({ max: 8192, description });
const text = (description: string) => schema.Optional(one(description));
const texts = (description: string) => schema.Optional(several(one(description)));

/** Query parameters that say which requests are meant (control-plane.md §1.21). */
export const logFilterFields = {
  workspace_slug: text('Slug or id of a workspace; keys of a workspace mean their own, whatever is given.'),
  time_of_generation_min: text('ISO 8601 with offset.'),
  time_of_generation_max: text('ISO 8601 with offset; later requests and those of that very moment are not meant.'),
  total_units_min: text('Tokens.'),
  total_units_max: text('Tokens.'),
  cost_min: text('US cents.'),
  cost_max: text('US cents.'),
  prompt_token_min: text('Tokens.'),
  prompt_token_max: text('Tokens.'),
  completion_token_min: text('Tokens.'),
  completion_token_max: text('Tokens.'),
  status_code: texts('HTTP statuses, with commas.'),
  weighted_feedback_min: text('-10 to 10.'),
  weighted_feedback_max: text('-10 to 10.'),
  virtual_keys: texts('Slugs of saved providers, with commas.'),
  configs: texts('Slugs of configs, with commas.'),
  api_key_ids: texts('Ids of keys, with commas.'),
  metadata: text('JSON object: each pair must hold; a list of values means any of them.'),
  ai_org_model: texts('`provider__model`, with commas; either half may be left out.'),
  ai_model: texts('Models, with commas.'),
  trace_id: texts('Traces, with commas.'),
  span_id: texts('Spans, with commas.'),
  prompt_slug: texts('Slugs of prompts, with commas.'),
  endpoint: texts('Endpoints such as chatComplete, with commas.'),
  user: texts('Values of the metadata `_user`, with commas.'),
};

/**
 * The requests that a query, or the filters of a body, ask for, within the place.
 * @param param in front of the names of fields, for errors: `filters.`
 * @throws GatewayError `bad_request` naming the parameter
 */
export function readLogFilter(given: Given, place: LogPlace, period: LogPeriod, param = ''): LogFilter {
  return {
    ...place,
    ...period,
    ...rangesOf(given, param),
    ...textsOf(given, param),
    ...keysOf(given, place, param),
    ...statusesOf(given, param),
    ...modelsOf(given, param),
    ...metadataOf(given, param),
  };
}

function rangesOf(given: Given, param: string): Partial<LogFilter> {
  const found: Record<string, Range> = {};
  for (const [prefix, { name, least, ...bound }] of Object.entries(ranges)) {
    const most = 'most' in bound ? bound.most : Number.MAX_SAFE_INTEGER;
    const min = numberOf(given, `${prefix}_min`, least, most, param);
    const max = numberOf(given, `${prefix}_max`, least, most, param);
    if (min === undefined && max === undefined) continue;
    if (min !== undefined && max !== undefined && min > max)
      throw refusal(`${param}${prefix}_min`, `must not be more than ${prefix}_max`);
    const scale = name === 'costNanoUsd' ? nanoOfCents : same;
    found[name] = {
      ...(min === undefined ? {} : { min: scale(min) }),
      ...(max === undefined ? {} : { max: scale(max) }),
    };
  }
  return found;
}

const same = (value: number) => value;

function textsOf(given: Given, param: string): Partial<LogFilter> {
  const found: Record<string, readonly string[]> = {};
  for (const [name, member] of Object.entries(lists)) {
    const values = valuesOf(given, name, param);
    if (values !== undefined)
      found[member] = member === 'providerSlugs' ? values.map((value) => value.replace(/^@/, '')) : values;
  }
  return found;
}

/** Who may see only some keys may ask for some of those; for others there is nothing to see. */
function keysOf(given: Given, { keyIds }: LogPlace, param: string): Partial<LogFilter> {
  const asked = valuesOf(given, 'api_key_ids', param);
  if (asked === undefined) return {};
  return { keyIds: keyIds === undefined ? asked : orNone(asked.filter((id) => keyIds.includes(id))) };
}

/** No key has an empty id: an empty list could be taken for any. */
export function orNone(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [''] : ids;
}

function statusesOf(given: Given, param: string): Partial<LogFilter> {
  const values = valuesOf(given, 'status_code', param);
  if (values === undefined) return {};
  const wrong = values.find((value) => !/^[1-5]\d\d$/.test(value));
  if (wrong !== undefined) throw refusal(`${param}status_code`, 'must be HTTP statuses from 100 to 599, with commas');
  return { status: values.map(Number) };
}

function modelsOf(given: Given, param: string): Partial<LogFilter> {
  const pairs = valuesOf(given, 'ai_org_model', param);
  const models = valuesOf(given, 'ai_model', param);
  if (pairs !== undefined && models !== undefined)
    throw refusal(`${param}ai_model`, 'cannot stand beside ai_org_model, which names models too');
  if (models !== undefined) return { models: models.map((model) => ({ model })) };
  return pairs === undefined ? {} : { models: pairs.map(pairOf) };
}

function pairOf(written: string): { readonly provider?: string; readonly model?: string } {
  const [provider = '', ...rest] = written.split('__');
  const model = rest.join('__');
  return { ...(provider === '' ? {} : { provider }), ...(model === '' ? {} : { model }) };
}

function metadataOf(given: Given, param: string): Partial<LogFilter> {
  const { metadata } = given;
  if (metadata === undefined || metadata === null || metadata === '') return {};
  const object = asObject(typeof metadata === 'string' ? parseJson(metadata) : metadata);
  if (object === undefined) throw refusal(`${param}metadata`, 'must be a JSON object such as {"_user":"alice"}');
  const entries = Object.entries(object);
  if (entries.length > 20) throw refusal(`${param}metadata`, 'must have at most 20 members');
  return {
    metadata: Object.fromEntries(
      entries.map(([name, value]) => {
        const values: readonly unknown[] = Array.isArray(value) ? value : [value];
        if (values.length === 0 || values.length > mostValues || values.some(isDeep))
          throw refusal(`${param}metadata.${name}`, `must be a text, or a list of 1 to ${mostValues} texts`);
        return [name, values.map(String)];
      }),
    ),
  };
}

function isDeep(value: unknown): boolean {
  return typeof value === 'object';
}

/** Null would be the text "null". */
function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function valuesOf(given: Given, name: string, param: string): readonly string[] | undefined {
  const value = given[name];
  if (value === undefined || value === null || value === '') return undefined;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!items.every(isText)) throw refusal(`${param}${name}`, 'must be a list of texts, or texts with commas');
  const parts = Array.isArray(value) ? items : String(value).split(',');
  const values = parts.map((part) => String(part).trim()).filter((part) => part !== '');
  if (values.length === 0 || values.length > mostValues)
    throw refusal(`${param}${name}`, `must name 1 to ${mostValues} values`);
  return values;
}

function numberOf(given: Given, name: string, least: number, most: number, param: string): number | undefined {
  const value = given[name];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' ? plainNumber(value) : value;
  if (typeof number === 'number' && number >= least && number <= most) return number;
  throw refusal(`${param}${name}`, `must be a number from ${least} to ${most} in decimal digits`);
}

function refusal(param: string, why: string): GatewayError {
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}
