import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Access, JsonObject, Principal, RequestContext, TargetContext } from 'portcullis/sdk';
import { testRequest, testTarget } from 'portcullis/sdk/testing';
import { canonical } from '../../../plugins/cache/canonical.ts';
import { keyOf, scopeOf } from '../../../plugins/cache/key.ts';

function caller(access: Partial<Access>, id = 'key:k1'): Principal {
  return {
    id,
    kind: 'key',
    access: {
      organisationId: 'org-1',
      workspaceId: 'ws-1',
      keyId: 'k1',
      keyType: 'workspace-service',
      sessionId: undefined,
      userId: undefined,
      organisationRole: undefined,
      roleIn: () => undefined,
      scopesIn: () => new Set(),
      ...access,
    },
  };
}

interface Facts {
  readonly request?: Partial<RequestContext>;
  readonly target?: Partial<TargetContext>;
  readonly identity?: string;
}

function keyFor({ request = {}, target = {}, identity = 'i1' }: Facts = {}): string {
  const context = testTarget({ request: testRequest({ principal: caller({}), ...request }), ...target });
  return keyOf('reply', scopeOf(context, identity), context.body);
}

const named = (namespace: string, principal = caller({})): Facts => ({
  request: { principal, headers: { 'x-gw-cache-namespace': namespace } },
});

describe('the key', () => {
  const different: readonly [string, Facts][] = [
    ['organisation', { request: { principal: caller({ organisationId: 'org-2' }) } }],
    ['workspace', { request: { principal: caller({ workspaceId: 'ws-2' }) } }],
    ['caller without an organisation', { request: { principal: { id: 'key:k1', kind: 'key' } } }],
    ['metadata', { request: { metadata: { _user: 'u1' } } }],
    ['namespace', named('n')],
    ['endpoint', { request: { endpoint: 'complete' } }],
    ['method', { request: { method: 'GET' } }],
    ['path', { request: { path: '/v1/other' } }],
    ['query', { request: { query: '?a=1' } }],
    ['parameter of the path', { request: { params: { id: '1' } } }],
    ['format of the client', { request: { dialect: 'completions' } }],
    ['format where bytes pass', { request: { dialect: undefined } }],
    ['strictness', { target: { strict: false } }],
    ['beta', { request: { headers: { 'x-gw-beta': 'use-responses-api-2026-07-30' } } }],
    ['identity of the target', { identity: 'i2' }],
    ['body', { target: { body: { model: 'm' } } }],
  ];

  for (const [what, facts] of different) {
    it(`is another for another ${what}`, () => assert.notEqual(keyFor(facts), keyFor()));
  }

  it('is another for each two of those', () => {
    const keys = different.map(([, facts]) => keyFor(facts));
    assert.equal(new Set(keys).size, keys.length);
  });

  const equal: readonly [string, Facts, Facts][] = [
    ['another key of the workspace', { request: { principal: caller({ keyId: 'k2' }, 'key:k2') } }, {}],
    ['a trace', { request: { traceId: 't2', id: 'r2' } }, {}],
    ['headers that the provider does not get', { request: { headers: { 'user-agent': 'x' } } }, {}],
    ['an empty namespace', named(''), {}],
    [
      'metadata under one namespace',
      { request: { metadata: { a: 'b' }, headers: { 'x-gw-cache-namespace': 'n' } } },
      named('n'),
    ],
    [
      'the order of metadata',
      { request: { metadata: { a: '1', b: '2' } } },
      { request: { metadata: { b: '2', a: '1' } } },
    ],
  ];

  for (const [what, facts, others] of equal) {
    it(`is the same whatever differs in ${what}`, () => assert.equal(keyFor(facts), keyFor(others)));
  }

  it('keeps the namespaces of two keys apart, though both have one name', () => {
    const other = caller({ keyId: 'k2' }, 'key:k2');
    assert.notEqual(keyFor(named('shared')), keyFor(named('shared', other)));
  });

  it('keeps a namespace when a person comes back with a new session', () => {
    const session = (sessionId: string) =>
      caller({ keyId: undefined, userId: 'u1', sessionId }, `session:${sessionId}`);
    assert.equal(keyFor(named('n', session('s1'))), keyFor(named('n', session('s2'))));
  });

  it('keeps a request for a reply apart from one for a meaning', () => {
    assert.notEqual(keyOf('reply', ['a'], {}), keyOf('meaning', ['a'], {}));
  });
});

const body = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 });
const parts = fc.array(fc.string({ unit: fc.constantFrom('a', ':', '1', '\0', 'é', ''), maxLength: 5 }), {
  minLength: 1,
  maxLength: 5,
});

describe('equal keys', () => {
  it('have equal scopes, however their parts run into each other', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        assert.equal(keyOf('reply', one, {}) === keyOf('reply', other, {}), same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('have equal bodies, whatever the order of their fields', () => {
    fc.assert(
      fc.property(body, body, (one, other) => {
        // A JSON text has no -0.
        const [first, second] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
        let same = true;
        try {
          assert.deepEqual(first, second);
        } catch {
          same = false;
        }
        assert.equal(canonical(first ?? {}) === canonical(second ?? {}), same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('come of any order of the same fields, at each depth', () => {
    fc.assert(
      fc.property(body, (value) => {
        const given = JSON.parse(JSON.stringify(value)) as JsonObject;
        assert.equal(canonical(reversed(given) as JsonObject), canonical(given));
      }),
      { numRuns: 1_000 },
    );
  });

  it('do not come of a body in which one field was changed', () => {
    fc.assert(
      fc.property(body, fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), (value, name, changed) => {
        const before = JSON.parse(JSON.stringify(value)) as JsonObject;
        fc.pre(!Object.hasOwn(before, name));
        const after = Object.fromEntries([...Object.entries(before), [name, changed]]) as JsonObject;
        assert.notEqual(keyOf('reply', ['s'], after), keyOf('reply', ['s'], before));
      }),
      { numRuns: 1_000 },
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reversed(inner)]),
  );
}
