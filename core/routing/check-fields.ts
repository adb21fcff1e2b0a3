import { asObject, type JsonObject } from 'portcullis/sdk';
import type { TSchema } from 'typebox';
import { nearest } from '../config/nearest.ts';
import { lateValidator, stoppingValidatorOf } from '../config/validator.ts';
import { fieldNames, type NodeConfig, nodeSchema } from './config-schema.ts';
import { clip, configFault, paramOf } from './fault.ts';

const fits = lateValidator(() => stoppingValidatorOf(nodeSchema));

/** What is read of a JSON Schema to say what is accepted. */
interface SchemaView {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaView>>;
  readonly items?: SchemaView;
  readonly anyOf?: readonly SchemaView[];
  readonly additionalProperties?: unknown;
}

const view = nodeSchema as TSchema as SchemaView;

/**
 * Checks the keys and values of one node.
 * @throws GatewayError naming the path and what is accepted; a mistyped key is answered with the nearest one
 */
export function checkFields(raw: JsonObject, path: string, settingNames: ReadonlySet<string>): NodeConfig {
  for (const key of Object.keys(raw)) {
    if (fieldNames.has(key) || settingNames.has(key)) continue;
    throw unknownTopKey(key, path, settingNames);
  }
  for (const key of Object.keys(raw)) {
    if (fieldNames.has(key)) checkNestedKeys(view.properties?.[key], raw[key], paramOf(path, key));
  }
  if (!fits(raw)) throw valueFault(path);
  return raw as NodeConfig;
}

function unknownTopKey(key: string, path: string, settingNames: ReadonlySet<string>) {
  const param = paramOf(path, clip(key));
  if (key === 'options') {
    return configFault(param, `\`${param}\` is a form that is no longer supported. Use \`strategy\` and \`targets\`.`);
  }
  const meant = nearest(key, [...fieldNames, ...settingNames]);
  const hint =
    meant === undefined
      ? '. It is neither a field of a config nor a setting of a provider.'
      : `; did you mean \`${meant}\`?`;
  return configFault(param, `Unknown key \`${param}\`${hint}`);
}

/** Before the values, because an unknown key explains a missing one. */
function checkNestedKeys(schema: SchemaView | undefined, value: unknown, param: string): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkNestedKeys(schema?.items, item, `${param}[${index}]`);
    return;
  }
  const object = asObject(value);
  const properties = object === undefined ? undefined : closedProperties(schema);
  if (object === undefined || properties === undefined) return;
  for (const key of Object.keys(object)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known !== undefined) {
      checkNestedKeys(known, object[key], `${param}.${key}`);
      continue;
    }
    const names = Object.keys(properties);
    const meant = nearest(key, names);
    const hint = meant === undefined ? `. Accepted: ${names.join(', ')}.` : `; did you mean \`${meant}\`?`;
    throw configFault(`${param}.${clip(key)}`, `Unknown key \`${param}.${clip(key)}\`${hint}`);
  }
}

function closedProperties(schema: SchemaView | undefined): Readonly<Record<string, SchemaView>> | undefined {
  const object = schema?.anyOf?.find((member) => member.properties !== undefined) ?? schema;
  return object?.additionalProperties === false ? object.properties : undefined;
}

interface Fault {
  readonly pointer: readonly string[];
  readonly missing: boolean;
}

/** Of the faults of a union's members the innermost is told: `cache.max_age` says more than `cache`. */
function valueFault(path: string) {
  let deepest: Fault = { pointer: [], missing: false };
  for (const error of fits.errors ?? []) {
    const at = error.instancePath.split('/').slice(1);
    const missing = error.keyword === 'required' ? String(error.params.missingProperty) : undefined;
    const pointer = missing === undefined ? at : [...at, missing];
    if (pointer.length > deepest.pointer.length) deepest = { pointer, missing: missing !== undefined };
  }
  const param = deepest.pointer.reduce(
    (text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
  const full = param === '' ? path : paramOf(path, param);
  const accepted = describe(view, deepest.pointer) ?? 'of another type';
  return configFault(
    full,
    `${full} ${deepest.missing ? 'is required: it' : ''} must be ${accepted}.`.replace('  ', ' '),
  );
}

function describe(schema: SchemaView | undefined, pointer: readonly string[]): string | undefined {
  const [first, ...rest] = pointer;
  if (first === undefined) return schema?.description;
  const members = schema?.anyOf ?? (schema === undefined ? [] : [schema]);
  for (const member of members) {
    const next = /^\d+$/.test(first) ? member.items : member.properties?.[first];
    const found = next === undefined ? undefined : describe(next, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}
