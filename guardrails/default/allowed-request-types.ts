import { check, endpointNames, GatewayError, schema } from 'portcullis/sdk';
import { refuseSharedEntry, strict, unusable } from './parameters.ts';

/** What a request may be for; a saved prompt is what it turns out to be. */
const endpoints: readonly string[] = endpointNames.filter((name) => name !== 'promptComplete');
/** Of these, requests for a stream have a name of their own beside that of the endpoint. */
const streamed = ['chatComplete', 'complete', 'messages', 'createModelResponse'].map((name) => `stream-${name}`);
const requestTypes = [...endpoints, ...streamed];

const typeList = (description: string) =>
  schema.Unsafe<string | readonly string[]>({
    anyOf: [
      { type: 'array', maxItems: 100, items: { type: 'string', minLength: 1, maxLength: 64 } },
      { type: 'string', maxLength: 4096 },
    ],
    default: [],
    description: `${description} A list, or names between commas: ${requestTypes.join(', ')}.`,
  });

export default check({
  title: 'Allowed request types',
  description:
    'Passes requests of the allowed types that are not blocked. Where a list is empty, the metadata supported_endpoints or blocked_endpoints take its place.',
  config: schema.Object(
    { allowedTypes: typeList('Types that pass; empty: all.'), blockedTypes: typeList('Types that fail.') },
    strict,
  ),
  phases: ['beforeRequest'],
  scans: false,
  prepare(config) {
    const allowed = knownTypes(config.allowedTypes, 'allowedTypes');
    const blocked = knownTypes(config.blockedTypes, 'blockedTypes');
    refuseSharedEntry(allowed, blocked, 'blockedTypes');
    return { allowed, blocked };
  },
  run({ endpoint, stream, metadata }, given) {
    const allowed = given.allowed.length > 0 ? given.allowed : namesIn(metadata.supported_endpoints);
    const blocked = given.blocked.length > 0 ? given.blocked : namesIn(metadata.blocked_endpoints);
    const shared = allowed.find((name) => blocked.includes(name));
    if (shared !== undefined)
      throw new GatewayError('check_failed', `The type ${shared.slice(0, 64)} is both allowed and blocked.`);
    const isOneOf = (names: readonly string[]) =>
      names.includes(endpoint) || (stream && names.includes(`stream-${endpoint}`));
    const isBlocked = isOneOf(blocked);
    const pass = !isBlocked && (allowed.length === 0 || isOneOf(allowed));
    const why = isBlocked ? 'is blocked' : pass ? 'is allowed' : 'is not among those that are allowed';
    const explanation = `The request type ${endpoint} ${why}.`;
    const shown = { allowedTypes: allowed.slice(0, 100), blockedTypes: blocked.slice(0, 100) };
    return { pass, why: explanation, data: { explanation, verdict: pass, currentRequestType: endpoint, ...shown } };
  },
});

function knownTypes(given: string | readonly string[], param: string): readonly string[] {
  const names = typeof given === 'string' ? between(given) : given;
  const unknown = names.find((name) => !requestTypes.includes(name));
  if (unknown === undefined) return names;
  throw unusable(param, `${param} holds "${unknown.slice(0, 64)}". Known: ${requestTypes.join(', ')}.`);
}

/** A list as metadata hold it: names between commas, or JSON. */
function namesIn(value: string | undefined): readonly string[] {
  return value === undefined ? [] : between(value.replaceAll(/[[\]"]/g, ''));
}

function between(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
