import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects } from 'portcullis/sdk';
import { asObject, asObjects, type JsonObject, parseJson } from '../../../sdk/json.ts';
import { contextOf, frozen } from './codec.ts';

/** A schema as clients of chat completions have it, where all of this is taken. */
const given: JsonObject = frozen({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  description: 'A person.',
  properties: {
    name: { type: 'string', minLength: 1, pattern: '^[A-Z]', default: 'Ada' },
    mail: { type: 'string', format: 'email' },
    color: { type: 'string', format: 'color' },
    age: { type: ['integer', 'null'], description: 'In years.', minimum: 0, maximum: 150 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
    two: { type: 'array', items: { $ref: '#/$defs/place', description: 'Home' }, minItems: 2 },
    kind: { oneOf: [{ type: 'object', properties: {} }, { const: 'none' }] },
    home: { type: ['object', 'null'], properties: { street: { type: 'string' } }, additionalProperties: true },
    minimum: { enum: ['a', 'b'] },
  },
  required: ['name'],
  $defs: { place: { type: 'object', properties: { city: { type: 'string', maxLength: 9 } } } },
});

const taken: JsonObject = {
  type: 'object',
  description: 'A person.',
  properties: {
    name: { type: 'string', default: 'Ada', description: '{minLength: 1, pattern: "^[A-Z]"}' },
    mail: { type: 'string', format: 'email' },
    color: { type: 'string', description: '{format: "color"}' },
    age: { type: ['integer', 'null'], description: 'In years.\n\n{minimum: 0, maximum: 150}' },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, description: '{uniqueItems: true}' },
    two: { type: 'array', items: { $ref: '#/$defs/place' }, description: '{minItems: 2}' },
    kind: { anyOf: [{ type: 'object', properties: {}, additionalProperties: false }, { const: 'none' }] },
    home: { type: ['object', 'null'], properties: { street: { type: 'string' } }, additionalProperties: false },
    minimum: { enum: ['a', 'b'] },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: {
    place: {
      type: 'object',
      properties: { city: { type: 'string', description: '{maxLength: 9}' } },
      additionalProperties: false,
    },
  },
};

const lostKeywords = ['minLength', 'pattern', 'format', 'minimum', 'maximum', 'uniqueItems', 'minItems'];
const asked = (strict: boolean): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: 'Who?' }],
  response_format: { type: 'json_schema', json_schema: { name: 'person', schema: given } },
  tools: [{ type: 'function', function: { name: 'keep', parameters: given, ...(strict ? { strict } : {}) } }],
});

/** Where the formats have the schema of the answer and that of the tool. */
const places = {
  messages: (body: JsonObject) => [
    asObject(asObject(body.output_config)?.format)?.schema,
    asObjects(body.tools)[0]?.input_schema,
  ],
  converse: (body: JsonObject) => {
    const format = asObject(asObject(asObject(body.outputConfig)?.textFormat)?.structure);
    const tool = asObject(asObjects(asObject(body.toolConfig)?.tools)[0]?.toolSpec);
    return [parseJson(String(asObject(format?.jsonSchema)?.schema)), asObject(tool?.inputSchema)?.json];
  },
} as const;

describe('schemas of answers and of strict tools', () => {
  for (const name of ['messages', 'converse'] as const) {
    const sent = (body: JsonObject) => {
      const context = contextOf(true);
      const wire = dialects[name].encodeCall(dialects.chat.decodeCall(body, context), context);
      return { schemas: places[name](wire), lost: context.lost };
    };

    it(`hold in ${name} what its providers take, and tell the rest in words`, () => {
      const { schemas, lost } = sent(asked(true));
      assert.deepEqual(schemas, [taken, taken]);
      for (const keyword of [...lostKeywords, 'additionalProperties']) {
        assert.ok(lost.includes(`response_format.schema.${keyword}`), keyword);
        assert.ok(lost.includes(`tools.parameters.${keyword}`), keyword);
      }
    });

    it(`stay in ${name} as they are for tools that are not strict`, () => {
      assert.deepEqual(sent(asked(false)).schemas[1], given);
    });

    it(`stay in ${name} as clients of messages wrote them`, () => {
      const body = {
        ...{ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Who?' }] },
        output_config: { format: { type: 'json_schema', schema: given } },
        tools: [{ name: 'keep', input_schema: given, strict: true }],
      };
      const context = contextOf(true);
      const wire = dialects[name].encodeCall(dialects.messages.decodeCall(body, context), context);
      assert.deepEqual(places[name](wire), [given, given]);
    });
  }
});
