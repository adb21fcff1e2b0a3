import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyMetadataSchema, checkMetadataSchema, GatewayError, type JsonObject } from 'portcullis/sdk';

const team: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: true,
  properties: {
    team: { type: 'string', enum: ['red', 'blue'] },
    tier: { type: 'string', default: 'free' },
  },
  required: ['team'],
};

const refusedAt = (param: string) => (error: unknown) =>
  GatewayError.is(error) && error.code === 'bad_request' && error.param === param;

describe('metadata under a schema', () => {
  it('gets the defaults and keeps what else it has', () =>
    assert.deepEqual(applyMetadataSchema(team, { team: 'red', x: 'y' }, 'metadata'), {
      team: 'red',
      x: 'y',
      tier: 'free',
    }));

  it('is not changed itself', () => {
    const given = { team: 'red' };
    applyMetadataSchema(team, given, 'metadata');
    assert.deepEqual(given, { team: 'red' });
  });

  for (const [why, metadata, param] of [
    ['lacks a member', {}, 'metadata.team'],
    ['has a value that is none of those accepted', { team: 'green' }, 'metadata.team'],
    ['has a value that is too long', { team: 'red', x: 'y'.repeat(129) }, 'metadata.x'],
  ] as const) {
    it(`is refused when it ${why}`, () =>
      assert.throws(() => applyMetadataSchema(team, metadata, 'metadata'), refusedAt(param)));
  }

  it('is told which values are accepted', () =>
    assert.throws(() => applyMetadataSchema(team, { team: 'green' }, 'metadata'), /red, blue/));

  it('is refused for a name beyond those accepted', () =>
    assert.throws(
      () => applyMetadataSchema({ type: 'object', additionalProperties: false }, { x: 'y' }, 'metadata'),
      refusedAt('metadata.x'),
    ));

  it('is checked against the schema of each call, not of the one before', () => {
    const other: JsonObject = { type: 'object', required: ['site'], properties: { site: { type: 'string' } } };
    applyMetadataSchema(team, { team: 'red' }, 'metadata');
    assert.throws(() => applyMetadataSchema(other, { team: 'red' }, 'metadata'), refusedAt('metadata.site'));
  });
});

describe('a metadata schema', () => {
  for (const name of ['properties', 'dependencies']) {
    it(`holds no regular expression under a property that is called ${name} either`, () =>
      assert.throws(
        () =>
          checkMetadataSchema(
            { type: 'object', properties: { [name]: { type: 'string', pattern: '^(a+)+$' } } },
            'schema',
          ),
        refusedAt(`schema.properties.${name}.pattern`),
      ));
  }

  it('is accepted as the documents show it', () => checkMetadataSchema(team, 'schema'));

  it('may name a member as a keyword', () =>
    checkMetadataSchema(
      { type: 'object', properties: { id: { type: 'string' }, pattern: { type: 'string' } } },
      'schema',
    ));

  it('may have formats, which are not looked at', () => {
    const schema: JsonObject = { type: 'object', properties: { site: { type: 'string', format: 'uri' } } };
    checkMetadataSchema(schema, 'schema');
    assert.deepEqual(applyMetadataSchema(schema, { site: 'none' }, 'metadata'), { site: 'none' });
  });

  for (const [why, schema, param] of [
    ['is no object', [], 'schema'],
    ['is about something else than objects', { type: 'string' }, 'schema.type'],
    [
      'is of another draft',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
      'schema.$schema',
    ],
    [
      'points elsewhere',
      { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } },
      'schema.properties.a.$ref',
    ],
    ['points to itself', { type: 'object', allOf: [{ $ref: '#' }] }, 'schema.allOf[0].$ref'],
    [
      'holds a regular expression',
      { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } },
      'schema.properties.a.pattern',
    ],
    ['holds names by regular expression', { type: 'object', patternProperties: {} }, 'schema.patternProperties'],
    [
      'has a member that is no string',
      { type: 'object', properties: { a: { type: 'integer' } } },
      'schema.properties.a.type',
    ],
    [
      'has a default that is no string',
      { type: 'object', properties: { a: { default: 1 } } },
      'schema.properties.a.default',
    ],
    ['has a keyword that nobody knows', { type: 'object', requierd: ['a'] }, 'schema'],
    ['is too long', { type: 'object', description: 'x'.repeat(20_000) }, 'schema'],
    [
      'has too many members',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`a${n}`, {}])) },
      'schema.properties',
    ],
  ] as const) {
    it(`is refused when it ${why}`, () => assert.throws(() => checkMetadataSchema(schema, 'schema'), refusedAt(param)));
  }

  it('is refused when it is nested without end', () => {
    let schema: JsonObject = { type: 'object' };
    for (let depth = 0; depth < 20; depth += 1) schema = { type: 'object', not: schema };
    assert.throws(() => checkMetadataSchema(schema, 'schema'), /nested too deeply/);
  });
});
