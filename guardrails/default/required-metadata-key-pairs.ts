import { check, linearPattern, schema } from 'portcullis/sdk';
import { met, wanted } from './metadata-operator.ts';
import { choice, strict } from './parameters.ts';

type Given = string | number | boolean;
type ValueTest = (value: string) => boolean;
type MatchType = 'exact' | 'contains' | 'containsAll' | 'regex';

const single = {
  anyOf: [{ type: 'string', minLength: 1, maxLength: 512 }, { type: 'number' }, { type: 'boolean' }],
};

export default check({
  title: 'Required metadata pairs',
  description: 'Looks which values the metadata of the request have.',
  config: schema.Object(
    {
      metadataPairs: schema.Unsafe<Readonly<Record<string, Given | readonly Given[]>>>({
        type: 'object',
        minProperties: 1,
        maxProperties: 100,
        propertyNames: { minLength: 1, maxLength: 128 },
        additionalProperties: { anyOf: [...single.anyOf, { type: 'array', minItems: 1, maxItems: 50, items: single }] },
        description: 'By key of the metadata, the value, or several.',
      }),
      operator: choice(['all', 'any', 'none'], 'Whether all pairs must be there, any, or none.'),
      matchType: choice(
        ['exact', 'contains', 'containsAll', 'regex'],
        'Whether the value is one of those given, holds one of them, holds all of them, or fits one of them as a pattern.',
      ),
    },
    strict,
  ),
  phases: ['beforeRequest'],
  scans: false,
  prepare: ({ metadataPairs, operator, matchType }) => ({
    operator,
    matchType,
    tests: Object.entries(metadataPairs).map(([key, given]) => ({
      key,
      fits: tests[matchType]((Array.isArray(given) ? given : [given]).map(String), `metadataPairs.${key}`),
    })),
  }),
  run({ metadata }, { operator, matchType, tests: pairs }) {
    const matches = ({ key, fits }: { key: string; fits: ValueTest }) =>
      Object.hasOwn(metadata, key) && fits(metadata[key] ?? '');
    const matchedKeys = pairs.filter(matches).map(({ key }) => key);
    const unmatchedKeys = pairs.map(({ key }) => key).filter((key) => !matchedKeys.includes(key));
    const pass = met(operator, matchedKeys.length, pairs.length);
    const explanation = `${matchedKeys.length} of ${pairs.length} pairs are in the metadata; expected ${wanted[operator]}.`;
    const data = { explanation, verdict: pass, operator, matchType, matchedKeys, unmatchedKeys };
    return { pass, why: explanation, data };
  },
});

const tests: Readonly<Record<MatchType, (given: readonly string[], param: string) => ValueTest>> = {
  exact: (given) => (value) => given.includes(value),
  contains: (given) => (value) => given.some((part) => value.includes(part)),
  containsAll: (given) => (value) => given.every((part) => value.includes(part)),
  regex: (given, param) => {
    const patterns = given.map((source) => linearPattern(source, '', param));
    return (value) => patterns.some((pattern) => pattern.test(value));
  },
};
