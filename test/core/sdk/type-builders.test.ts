import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Typebox from 'typebox';
import Type from '../../../sdk/type-builders.ts';

/** With what is hidden, which comes last. */
function whole(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(whole);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(Object.getOwnPropertyDescriptors(value)).map(
    ([name, { value: member, enumerable }]) => [name, enumerable, whole(member)] as const,
  );
  return members.toSorted(([, one], [, other]) => Number(other) - Number(one));
}

const description = 'a thing';

/** What each library makes of the same calls. */
const calls: readonly ((type: typeof Typebox) => unknown)[] = [
  (type) => [type.Any(), type.Unknown({ description }), type.Never(), type.Null({ description })],
  (type) => [type.String(), type.String({ minLength: 1, pattern: '^a', 'x-env': 'A', type: 'other' })],
  (type) => [
    type.Number({ minimum: 0 }),
    type.Integer(),
    type.Integer({ maximum: 3 }),
    type.Boolean({ default: true }),
  ],
  (type) => [type.Literal('a'), type.Literal(1, { description }), type.Literal(true)],
  (type) => [
    type.Enum(['a', 'b'], { description }),
    type.Enum({ A: 'a', B: 'b' }),
    type.Enum({ A: 0, 0: 'A' } as never),
  ],
  (type) => [type.Union([type.String(), type.Null()], { description }), type.Union([])],
  (type) => [type.Array(type.String(), { minItems: 1 }), type.Array(type.Array(type.Unknown()))],
  (type) => [type.Ref('A'), type.Unsafe<string>({ type: 'string' }), type.Unsafe(type.String({ minLength: 1 }))],
  (type) => [type.Object({}), type.Object({ a: type.String() }, { additionalProperties: false, description })],
  (type) => type.Object({ a: type.Optional(type.String({ description })), b: type.Unsafe<1>({ const: 1 }) }),
  (type) => type.Optional(type.Optional(type.Unsafe<string>({ type: 'string' }))),
  (type) => type.Optional(type.Object({ a: type.Optional(type.Integer()) })),
  (type) =>
    type.Partial(type.Object({ a: type.String(), b: type.Optional(type.Integer()) }, { additionalProperties: false })),
  (type) => type.Partial(type.Object({ a: type.String() }), { description }),
  (type) => [
    type.Record(type.String(), type.Integer()),
    type.Record(type.String(), type.String(), { maxProperties: 2 }),
  ],
  (type) => [type.Record(type.String({ pattern: '^a' }), type.Integer()), type.Record(type.Integer(), type.Null())],
  (type) => type.Cyclic({ A: type.Object({ next: type.Optional(type.Array(type.Ref('A'))) }) }, 'A', { description }),
  // What is not built here.
  (type) => [type.Tuple([type.String()]), type.Intersect([type.Object({ a: type.String() }), type.Object({})])],
  (type) => [
    type.Omit(type.Object({ a: type.String(), b: type.Null() }), ['b']),
    type.KeyOf(type.Object({ a: type.Null() })),
  ],
  (type) => type.Partial(type.Union([type.Object({ a: type.String() }), type.Object({ b: type.Null() })])),
];

describe('the builders of types', () => {
  for (const call of calls) {
    it(`make what typebox makes: ${call.toString().slice(10, 100)}`, () => {
      assert.deepEqual(whole(call(Type)), whole(call(Typebox)));
    });
  }

  it('have all of typebox, by the same names', () => {
    const missing = Object.keys(Typebox).filter(
      (name) => (Type as unknown as Record<string, unknown>)[name] === undefined,
    );
    assert.deepEqual(missing, []);
  });
});
