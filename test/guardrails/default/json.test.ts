import { testCheck } from 'portcullis/sdk/testing';
import jsonKeys from '../../../guardrails/default/json-keys.ts';
import jsonSchema from '../../../guardrails/default/json-schema.ts';

const person = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', pattern: '^[A-Z]' }, home: { type: 'object', required: ['city'] } },
};
const nested = { type: 'object', required: ['a'], properties: { a: { type: 'object', required: ['b'] } } };
const fenced = (json: string, language = 'json') => `Here it is:\n\n\`\`\`${language}\n${json}\n\`\`\`\nDone.`;
const schema = (given: object) => ({ schema: given }) as { schema: Record<string, never> };
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `n${at}`,
    { allOf: [{ $ref: `#/$defs/n${at + 1}` }, { $ref: `#/$defs/n${at + 1}` }] },
  ]),
);

testCheck(jsonSchema, {
  pass: [
    {
      text: '{"name":"Ann"}',
      config: schema(person),
      data: {
        explanation: 'JSON in the text fits the schema.',
        not: false,
        verdict: true,
        validationErrors: [],
        textExcerpt: '{"name":"Ann"}',
      },
    },
    { text: fenced('{"name":"Ann","home":{"city":"Bonn"}}'), config: schema(person) },
    { text: fenced('{"name":"Ann"}', ''), config: schema(person) },
    { name: 'objects in objects, in prose', text: 'So {"a":{"b":{"c":"}"}}} it is.', config: schema(nested) },
    { name: 'the second of two', text: 'Not {"x":1} but {"name":"Ann"}.', config: schema(person) },
    {
      name: 'JSON behind brackets of prose',
      text: 'A set {1, 2} [sic] and a " quote: {"name":"Ann"}',
      config: schema(person),
    },
    {
      name: 'JSON within brackets that are no JSON',
      text: '{{ template }} {x: {"name":"Ann"}}',
      config: schema(person),
    },
    { text: '[1, 2]', config: schema({ type: 'array', items: { type: 'integer' }, uniqueItems: true }) },
    { text: '{"a":[{"x":1,"y":2},{"y":2,"x":3}]}', config: schema({ properties: { a: { uniqueItems: true } } }) },
    { text: 'no JSON', config: { ...schema(person), not: true }, why: 'The text holds no JSON.' },
    { text: '{"name":1}', config: { ...schema(person), not: true } },
    {
      name: 'a schema that refers to itself',
      text: '{"next":{"next":{}}}',
      config: schema({
        $ref: '#/$defs/node',
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      }),
    },
    {
      name: 'prefixItems of draft 2020-12',
      text: '["a",1]',
      config: schema({ prefixItems: [{ type: 'string' }], items: { type: 'number' } }),
    },
    { text: '{"name":"Ann"}', phase: 'beforeRequest', config: schema(person) },
  ],
  fail: [
    {
      text: '{"name":7}',
      config: schema(person),
      data: {
        explanation: 'No JSON in the text fits the schema.',
        not: false,
        verdict: false,
        validationErrors: [{ path: '/name', message: 'must be string' }],
        textExcerpt: '{"name":7}',
      },
    },
    { text: '{"name":"ann"}', config: schema(person) },
    { text: '{"home":{}}', config: schema(person) },
    {
      name: 'a fault far down in a schema that refers to itself',
      text: '{"next":{"next":{"next":1}}}',
      config: schema({ type: 'object', properties: { next: { $ref: '#' } } }),
    },
    {
      name: 'each pattern for itself',
      text: '{"a":"1","b":"1"}',
      config: schema({ properties: { a: { pattern: '^\\d$' }, b: { pattern: '^[a-z]$' } } }),
    },
    { text: '', config: schema(person), why: 'The text holds no JSON.' },
    { text: '{"name":"Ann"', config: schema(person), why: 'The text holds no JSON.' },
    { text: '[{"a":1,"b":2},{"b":2,"a":1}]', config: schema({ uniqueItems: true }) },
    { text: '{"name":"Ann"}', config: { ...schema(person), not: true } },
    { name: 'a prototype that is not there', text: '{}', config: schema({ required: ['toString'] }) },
  ],
  error: [
    {
      name: 'a schema whose references multiply',
      text: '{}',
      config: schema({ $ref: '#/$defs/n0', $defs: { ...doubling, n40: { type: 'object' } } }),
      code: 'check_failed',
      message: /takes too long/,
    },
    {
      name: 'JSON that a recursive schema has to follow too deep',
      text: `${'{"n":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      config: schema({ $ref: '#/$defs/a', $defs: { a: { properties: { n: { $ref: '#/$defs/a' } } } } }),
      code: 'check_failed',
    },
    {
      name: 'more brackets than it can tell apart',
      text: '{'.repeat(100_000),
      config: schema(person),
      code: 'check_failed',
    },
    { name: 'a very long text', text: ' '.repeat(1_048_577), config: schema(person), code: 'check_failed' },
  ],
  refused: [
    { config: {}, message: /schema/ },
    { config: { schema: true }, message: /schema/ },
    { config: { schema: [] }, message: /schema/ },
    { config: { schema: { type: 'objekt' } }, message: /schema\.type is no valid JSON Schema 2020-12/ },
    { config: { schema: { $ref: 'https://example.com/schema' } }, message: /schema is no valid JSON Schema/ },
    { config: { schema: { $schema: 'http://json-schema.org/draft-07/schema#' } }, message: /schema\.\$schema/ },
    { config: { schema: { pattern: '(?=a)' } }, message: /look-around/ },
    { config: { schema: { $async: true } }, message: /schema\.\$async/ },
    { config: { schema: { description: 'x'.repeat(70_000) } }, message: /65536 characters/ },
    { config: { schema: {}, strict: true }, message: /strict/ },
  ],
});

testCheck(jsonKeys, {
  pass: [
    { text: '{"a":1,"b":{"c":2}}', config: { keys: ['a', 'x'] } },
    { text: fenced('{"a":1,"b":2}'), config: { keys: ['a', 'b'], operator: 'all' } },
    {
      name: 'the block that has most',
      text: '{"a":1} and {"a":1,"b":{"z":0}}',
      config: { keys: ['a', 'b', 'c'] },
      data: {
        explanation: 'A JSON object of the reply has 2 of 3 keys; expected one or more.',
        verdict: true,
        operator: 'any',
        presentKeys: ['a', 'b'],
        missingKeys: ['c'],
      },
    },
    { text: '[{"x":1},{"a":1}]', config: { keys: ['a'] } },
    { text: '{"x":1}', config: { keys: ['a'], operator: 'none' } },
  ],
  fail: [
    { text: '{"b":{"a":1}}', config: { keys: ['a'] } },
    { text: '{"a":1} {"b":1}', config: { keys: ['a', 'b'], operator: 'all' } },
    { text: '{"x":1} {"a":1}', config: { keys: ['a'], operator: 'none' } },
    { text: '{}', config: { keys: ['toString', '__proto__'] } },
    { text: 'none', config: { keys: ['a'], operator: 'none' }, why: 'The reply holds no JSON object.' },
    { text: '[1]', config: { keys: ['a'] }, why: 'The reply holds no JSON object.' },
    { text: '', config: { keys: ['a'] } },
  ],
  error: [
    {
      name: 'too many objects',
      text: `[${'{},'.repeat(10_001)}{}]`,
      config: { keys: ['a'] },
      code: 'check_failed',
      message: /10000/,
    },
  ],
  refused: [
    { config: {}, message: /keys/ },
    { config: { keys: [] }, message: /keys/ },
    { config: { keys: ['a'], operator: 'one' }, message: /operator/ },
  ],
});
