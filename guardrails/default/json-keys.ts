import { asObject, asObjects, check, GatewayError, type Json, type JsonObject, schema } from 'portcullis/sdk';
import { jsonCandidates } from './json-candidates.ts';
import { choice, strict, strings } from './parameters.ts';
import { excerpt } from './verdict.ts';

const maxShown = 40;
const maxObjects = 10_000;

export default check({
  title: 'JSON keys',
  description: 'Looks for keys at the top level of the JSON objects in the reply.',
  config: schema.Object(
    {
      keys: strings('The keys.', { maxItems: 200, maxLength: 200 }),
      operator: choice(
        ['any', 'all', 'none'],
        'Whether one object must have one of them, all of them, or whether no object may have any.',
      ),
    },
    strict,
  ),
  phases: ['afterRequest'],
  whole: true,
  run({ content }, { keys, operator }) {
    const present = mostPresent(content, keys);
    const missing = keys.filter((key) => present?.includes(key) !== true);
    const rules = {
      any: missing.length < keys.length,
      all: missing.length === 0,
      none: missing.length === keys.length,
    };
    const pass = present !== undefined && rules[operator];
    const explanation =
      present === undefined
        ? 'The reply holds no JSON object.'
        : `A JSON object of the reply has ${present.length} of ${keys.length} keys; expected ${expected[operator]}.`;
    const shown = (list: readonly string[]) => list.slice(0, maxShown).map(excerpt);
    const data = {
      explanation,
      verdict: pass,
      operator,
      presentKeys: shown(present ?? []),
      missingKeys: shown(missing),
    };
    return { pass, why: explanation, data };
  },
});

const expected = { any: 'one or more', all: 'all of them', none: 'none' } as const;

/** The keys that are in the object that has most of them; undefined: there is no object. */
function mostPresent(text: string, keys: readonly string[]): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let seen = 0;
  for (const candidate of jsonCandidates(text)) {
    for (const object of objectsOf(candidate)) {
      const present = keys.filter((key) => Object.hasOwn(object, key));
      if (best === undefined || present.length > best.length) best = present;
      if (present.length === keys.length) return best;
      seen += 1;
      if (seen > maxObjects)
        throw new GatewayError('check_failed', `The reply holds more than ${maxObjects} JSON objects.`);
    }
  }
  return best;
}

/** An object, or those of a list. */
function objectsOf(candidate: Json): readonly JsonObject[] {
  const object = asObject(candidate);
  return object === undefined ? asObjects(candidate) : [object];
}
