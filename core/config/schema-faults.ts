import type { ErrorObject } from 'ajv/dist/2020.js';
import { accepted } from './accepted.ts';
import { nearest } from './nearest.ts';

export type Path = readonly (string | number)[];

/** One thing that a schema refuses. It repeats names of keys, never a value: values may be secret. */
export interface SchemaFault {
  readonly path: Path;
  /** A sentence's end: `must be an integer from 0 to 65535, not a string`. */
  readonly reason: string;
  readonly accepted?: string;
  /** The known key that an unknown one resembles. */
  readonly nearest?: string;
}

type Keywords = Readonly<Record<string, unknown>>;

const unionKeywords = new Set(['anyOf', 'oneOf']);
// Each comes beside the error of the schema that it applied.
const echoes = new Set(['if', 'propertyNames']);

/** What ajv (with `allErrors` and `verbose`) found, one fault for each place and reason. */
export function schemaFaults(
  errors: readonly ErrorObject[] | null | undefined,
  value: unknown,
): readonly SchemaFault[] {
  const found = errors ?? [];
  const unions = found.filter(({ keyword }) => unionKeywords.has(keyword)).map(({ schemaPath }) => `${schemaPath}/`);
  // The branches of a union each say why they do not fit; the union's own error says it once.
  const telling = found.filter(
    ({ schemaPath, keyword }) => !echoes.has(keyword) && !unions.some((union) => schemaPath.startsWith(union)),
  );
  const seen = new Set<string>();
  return telling
    .map((error) => faultOf(error, value))
    .filter(({ path, reason }) => {
      const key = JSON.stringify([path, reason]);
      return !seen.has(key) && seen.add(key);
    });
}

function faultOf(error: ErrorObject, root: unknown): SchemaFault {
  const at = pathOf(error.instancePath, root);
  const schema = (error.parentSchema ?? {}) as Keywords;
  const { keyword, params } = error;
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return unknownKey(at, String(params.additionalProperty ?? params.unevaluatedProperty), schema);
  }
  if (keyword === 'required') {
    const missing = String(params.missingProperty);
    const what = accepted((schema.properties as Readonly<Record<string, object>> | undefined)?.[missing] ?? {});
    return { path: [...at, missing], reason: `is required: ${what}`, accepted: what };
  }
  if (keyword === 'uniqueItems')
    return { path: at, reason: `holds the same item twice (items ${params.j} and ${params.i}, counted from 0)` };
  const refused = schema['x-refused'];
  if (typeof refused === 'string') return { path: at, reason: refused };
  const named = error.propertyName === undefined ? at : [...at, error.propertyName];
  const what = accepted(schema);
  const subject = error.propertyName === undefined ? 'must be' : 'is not accepted as a name, which must be';
  return {
    path: named,
    reason: `${subject} ${what}${keyword === 'type' ? `, not ${nounOf(error.data)}` : ''}`,
    accepted: what,
  };
}

function unknownKey(at: Path, key: string, schema: Keywords): SchemaFault {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Keywords>>;
  const known = Object.keys(properties).filter((name) => properties[name]?.['x-refused'] === undefined);
  const close = nearest(key, known);
  const what = known.join(', ');
  return {
    path: [...at, key],
    reason: 'is not a known key',
    ...(what === '' ? {} : { accepted: what }),
    ...(close === undefined ? {} : { nearest: close }),
  };
}

function nounOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

/** `/keys/0/name` -> `['keys', 0, 'name']`; the value tells an index from a key that is a number. */
function pathOf(pointer: string, root: unknown): Path {
  const path: (string | number)[] = [];
  let at = root;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(at) ? Number(key) : key);
    at = (at as Readonly<Record<string, unknown>> | undefined)?.[key];
  }
  return path;
}

/** `['keys', 0, 'name']` -> `keys[0].name`. */
export function pathText(path: Path): string {
  let text = '';
  for (const token of path) {
    if (typeof token === 'number') text += `[${token}]`;
    else if (/^[A-Za-z0-9_$@-]{1,64}$/.test(token)) text += text === '' ? token : `.${token}`;
    else text += `[${JSON.stringify(token.slice(0, 64))}]`;
  }
  return text;
}

/** One fault as a sentence: what was wrong, what is accepted. `subject` names the whole where the path is empty. */
export function faultSentence({ path, reason, accepted: what, nearest: close }: SchemaFault, subject: string): string {
  const hint =
    close !== undefined
      ? ` Did you mean ${close}?`
      : reason === 'is not a known key' && what !== undefined
        ? ` Known: ${what}.`
        : '';
  return `${path.length === 0 ? subject : pathText(path)} ${reason}.${hint}`;
}
