import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Access, GatewayError, type JsonObject } from 'portcullis/sdk';
import { testRequest, testTarget } from 'portcullis/sdk/testing';
import { conditionOf } from '../../../plugins/limits/policies/conditions.ts';
import type { Subject } from '../../../plugins/limits/policies/dimensions.ts';
import { partsOf, valueKeyReader } from '../../../plugins/limits/policies/value-key.ts';
import { readConditions, readGroupBy } from '../../../plugins/limits/records/condition-field.ts';

const access = { organisationId: 'org-1', workspaceId: 'ws-1', keyId: 'key-1' } as Access;

function subjectOf(
  given: { metadata?: Record<string, string>; model?: string; provider?: string; slug?: string } = {},
) {
  const request = testRequest({
    principal: { id: 'key-1', kind: 'key', access },
    metadata: given.metadata ?? { _user: 'alice', team: 'a,b' },
    savedConfig: { id: 'config-id', slug: 'pc-main' },
    body: { model: given.model ?? 'gpt-4o', messages: [] },
  });
  const target = testTarget({
    request,
    provider: given.provider ?? 'openai',
    ...(given.slug === '' ? {} : { providerSlug: given.slug ?? 'prod' }),
  });
  return { target, organisationId: 'org-1', workspaceId: 'ws-1', workspaceSlug: 'ws-main' } satisfies Subject;
}

describe('a condition', () => {
  const table: readonly (readonly [JsonObject, boolean, Parameters<typeof subjectOf>[0]?])[] = [
    [{ key: 'metadata._user', value: 'alice' }, true],
    [{ key: 'metadata._user', value: 'bob' }, false],
    [{ key: 'metadata._user', value: ['bob', 'alice'] }, true],
    [{ key: 'metadata._user', value: '*' }, true],
    [{ key: 'metadata._user', value: '*' }, false, { metadata: {} }],
    [{ key: 'metadata._user', value: '*', excludes: 'alice' }, false],
    [{ key: 'metadata._user', value: '*', excludes: ['bob', 'carol'] }, true],
    [{ key: 'metadata.toString', value: '*' }, false],
    [{ key: 'api_key', value: 'key-1' }, true],
    [{ key: 'virtual_key', value: 'prod' }, true],
    [{ key: 'virtual_key', value: '*' }, false, { slug: '' }],
    [{ key: 'provider', value: 'openai' }, true],
    [{ key: 'provider', value: 'prod' }, true],
    [{ key: 'provider', value: '*', excludes: 'prod' }, false],
    [{ key: 'config', value: 'pc-main' }, true],
    [{ key: 'config', value: 'config-id' }, true],
    [{ key: 'prompt', value: '*' }, false],
    [{ key: 'model', value: '@prod/gpt-4o' }, true],
    [{ key: 'model', value: '@prod/gpt-4o' }, true, { model: '@prod/gpt-4o' }],
    [{ key: 'model', value: '@prod/*' }, true],
    [{ key: 'model', value: '@pro/*' }, false],
    [{ key: 'model', value: '@prod/*', excludes: '@prod/gpt-4o' }, false],
    [{ key: 'model', value: '@openai/gpt-4o' }, true, { slug: '' }],
    [{ key: 'model', value: '@prod/org/model' }, true, { model: 'org/model' }],
    [{ key: 'workspace_id', value: 'ws-1' }, true],
    [{ key: 'workspace_id', value: 'ws-main' }, true],
    [{ key: 'organisation_id', value: 'org-2' }, false],
    [{ key: 'endpoint_type', value: ['embed', 'chatComplete'] }, true],
    [{ key: 'endpoint_type', value: 'embed' }, false],
  ];
  for (const [condition, fits, subject] of table) {
    it(`${JSON.stringify(condition)} ${fits ? 'fits' : 'does not fit'} ${JSON.stringify(subject ?? {})}`, () =>
      assert.equal(conditionOf(condition).fits(subjectOf(subject)), fits));
  }
});

describe('a value key', () => {
  it('names each key with its value, in the order of the policy', () => {
    assert.equal(valueKeyReader(['metadata._user'])(subjectOf()), 'metadata._user:alice');
    assert.equal(valueKeyReader(['provider', 'metadata._user'])(subjectOf()), 'provider:openai,metadata._user:alice');
  });

  it('is another for other values, whatever they hold', () => {
    const read = valueKeyReader(['metadata.a', 'metadata.b']);
    const values = ['', 'x', 'x,metadata.b:y', '\\', '\\,', ',', 'y'];
    const keys = values.flatMap((a) => values.map((b) => read(subjectOf({ metadata: { a, b } }))));
    assert.equal(new Set(keys).size, values.length ** 2);
  });

  it('gives back each value, whatever it holds, up to where it was cut', () => {
    const groupBy = ['metadata.a', 'metadata.b,c'];
    const read = valueKeyReader(groupBy);
    const values = ['', 'x', 'x,metadata.b,c:y', '\\', '\\,', ',', 'two\nlines'];
    for (const a of values)
      for (const b of values) {
        const parts = partsOf(groupBy, read(subjectOf({ metadata: { a, 'b,c': b } })));
        assert.deepEqual(parts, [
          { key: 'metadata.a', value: a },
          { key: 'metadata.b,c', value: b },
        ]);
      }
    const [first, ...others] = partsOf(groupBy, read(subjectOf({ metadata: { a: 'x', 'b,c': 'y'.repeat(400) } })));
    assert.deepEqual([first?.value, others.length], ['x', 1]);
    assert.match(others[0]?.value ?? '', /^y{200,}~[0-9a-f]{32}$/);
  });

  it('can be kept, and given back as it is', () => {
    const read = valueKeyReader(['metadata.a']);
    for (const a of ['x\ud800', '\udc00y', 'a\ud800,b']) assert.ok(read(subjectOf({ metadata: { a } })).isWellFormed());
  });

  it('has a bound, and tells long values apart all the same', () => {
    const read = valueKeyReader(['metadata.a', 'metadata.b', 'metadata.c', 'metadata.d']);
    const long = '🙂'.repeat(64);
    const keys = ['1', '2'].map((d) => read(subjectOf({ metadata: { a: long, b: long, c: long, d } })));
    assert.equal(new Set(keys).size, 2);
    for (const key of keys) assert.ok(key.length <= 360 && key.isWellFormed());
  });
});

describe('conditions of a body', () => {
  const refused = (work: () => unknown, param: string) =>
    assert.throws(work, (error) => GatewayError.is(error) && error.code === 'bad_request' && error.param === param);
  const faults: readonly (readonly [string, JsonObject, string])[] = [
    ['an unknown key', { key: 'colour', value: '*' }, 'conditions[0].key'],
    ['metadata without a name', { key: 'metadata.', value: '*' }, 'conditions[0].key'],
    ['no value', { key: 'api_key' }, 'conditions[0].value'],
    ['an empty list', { key: 'api_key', value: [] }, 'conditions[0].value'],
    ['a number', { key: 'api_key', value: 1 }, 'conditions[0].value'],
    ['a model without its provider', { key: 'model', value: 'gpt-4o' }, 'conditions[0].value'],
    ['a provider without a model', { key: 'model', value: '@prod/' }, 'conditions[0].value'],
    ['a part of the name of a model', { key: 'model', value: '@prod/gpt-4*' }, 'conditions[0].value'],
    ['models of any provider', { key: 'model', value: ['@prod/gpt-4o', '@*/gpt-4o'] }, 'conditions[0].value'],
    ['a part of a name', { key: 'provider', value: 'prod-*' }, 'conditions[0].value'],
    ['the exclusion of a part', { key: 'model', value: '*', excludes: '@prod/gpt-4*' }, 'conditions[0].excludes'],
    ['the exclusion of everything', { key: 'api_key', value: '*', excludes: '*' }, 'conditions[0].excludes'],
    ['an endpoint of a usage policy', { key: 'endpoint_type', value: 'embed' }, 'conditions[0].key'],
  ];
  for (const [name, condition, param] of faults)
    it(`refuse ${name}`, () => refused(() => readConditions([condition], 'usage'), param));

  it('take models below a slash, and stars in metadata as they are', () => {
    const conditions = [
      { key: 'model', value: ['*', '@prod/*', '@prod/meta/*', '@prod/meta/llama-3:free'] },
      { key: 'metadata.team', value: 'eng-*' },
    ];
    assert.deepEqual(readConditions(conditions, 'usage'), conditions);
  });

  it('take the endpoint in rate policies, and only one that there is', () => {
    const embed = { key: 'endpoint_type', value: 'embed' };
    assert.deepEqual(readConditions([embed], 'rate'), [embed]);
    refused(() => readConditions([{ ...embed, value: 'sing' }], 'rate'), 'conditions[0].value');
  });

  it('refuse a group that is named twice', () =>
    refused(() => readGroupBy([{ key: 'model' }, { key: 'model' }], 'usage'), 'group_by[1].key'));
});
