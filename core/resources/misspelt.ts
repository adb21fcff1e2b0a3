import { asObject, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { type Path, pathText } from '../config/schema-faults.ts';

/** The parts of a JSON schema that name members. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  /** true: any other member means something. false: no other one is taken. */
  readonly additionalProperties?: unknown;
}

/** Shorter names are too easily those of something else. */
const leastLength = 5;

/**
 * Members that a schema does not name are dropped, for clients send more than is asked. One that is a letter away from a
 * missing member is a typing error, though: `usage_limit` dropped in silence would be a key without limits. Where the
 * schema is closed, every other member is refused.
 * @param harmless names that may stand at the top, whatever they resemble
 * @throws GatewayError `bad_request`, `param` the member
 */
export function refuseMisspelt(
  value: JsonObject,
  shape: Shape,
  harmless: ReadonlySet<string>,
  noun: Noun = 'member',
): void {
  walk(value, shape, [], harmless, noun);
}

type Noun = 'member' | 'parameter';

/** `workspaceId`: clients send what they put into the path once more in the body. */
const pathParameter = /^[a-z]+Id$/;
const none: ReadonlySet<string> = new Set();

function walk(
  value: Json | undefined,
  shape: Shape | undefined,
  path: Path,
  harmless: ReadonlySet<string>,
  noun: Noun,
): void {
  if (shape === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item as Json, shape.items, [...path, index], none, noun);
    return;
  }
  const { properties } = shape;
  const object = asObject(value);
  if (properties === undefined || object === undefined) return;
  const isOpen = shape.additionalProperties === true;
  for (const [name, member] of Object.entries(object)) {
    if (Object.hasOwn(properties, name)) walk(member, properties[name], [...path, name], none, noun);
    else if (!isOpen && !harmless.has(name) && !pathParameter.test(name))
      refuseOther(name, object, properties, path, noun, shape.additionalProperties === false);
  }
}

function refuseOther(
  name: string,
  object: JsonObject,
  properties: object,
  path: Path,
  noun: Noun,
  isClosed: boolean,
): void {
  const known = Object.keys(properties);
  const meant = known.find((other) => object[other] === undefined && resembles(name, other));
  if (meant === undefined && !isClosed) return;
  const param = pathText([...path, name]);
  const hint = meant === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${meant}?`;
  throw new GatewayError('bad_request', `${param} is not a known ${noun}. ${hint}`, { param });
}

/** Whether they differ by one letter at most, or by two that changed places; case, `_` and `-` do not count. */
function resembles(name: string, known: string): boolean {
  if (name.length > 2 * known.length) return false;
  const [one, other] = [plain(name), plain(known)];
  if (other.length < leastLength || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - start;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left[0] === right[1] && left[1] === right[0];
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}
