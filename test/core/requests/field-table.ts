import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateRequest } from '../../../core/http/validate.ts';
import { GatewayError } from '../../../sdk/errors.ts';
import type { Json, JsonObject } from '../../../sdk/json.ts';
import type { RequestKind } from '../../../sdk/requests/index.ts';

/** A value that is refused, what the message must say and, where it is not the field itself, the path at fault. */
export interface Bad {
  readonly value: Json;
  readonly says: string;
  readonly at?: string;
}

export interface FieldCase {
  readonly field: string;
  readonly good: readonly Json[];
  readonly bad: readonly Bad[];
  readonly nullable: boolean;
  /** Further fields that the rules between fields ask for. */
  readonly beside?: JsonObject;
}

export function refusal(kind: RequestKind, body: JsonObject, strict = false): GatewayError {
  try {
    validateRequest(kind, body, { strict });
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    assert.equal(error.code, 'bad_request');
    return error;
  }
  return assert.fail(`${JSON.stringify(body).slice(0, 200)} was accepted`);
}

export function accepts(kind: RequestKind, body: JsonObject, strict = false): void {
  assert.doesNotThrow(() => validateRequest(kind, body, { strict }), JSON.stringify(body).slice(0, 200));
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

/** Runs a table: good values pass, bad ones are refused by path and bound, null passes only where it is said to. */
export function testFields(kind: RequestKind, base: JsonObject, cases: readonly FieldCase[]): void {
  for (const { field, good, bad, nullable, beside } of cases) {
    const bodyWith = (value: Json): JsonObject => ({ ...base, ...beside, [field]: value });
    describe(`${kind}.${field}`, () => {
      for (const value of good) it(`accepts ${shown(value)}`, () => accepts(kind, bodyWith(value)));
      for (const { value, says, at = field } of bad) {
        it(`refuses ${shown(value)} at ${at}`, () => {
          const error = refusal(kind, bodyWith(value));
          assert.equal(error.param, at);
          assert.ok(error.message.includes(says), error.message);
          assert.ok(error.message.startsWith(at) || error.message.startsWith(`Every key of ${at}`), error.message);
          assert.ok(error.message.length < 320, error.message);
        });
      }
      it(`${nullable ? 'accepts' : 'refuses'} null`, () => {
        if (nullable) return accepts(kind, bodyWith(null));
        assert.equal(refusal(kind, bodyWith(null)).param, field);
      });
    });
  }
}

/** A number or integer field with bounds: both pass exactly, and what lies beyond is refused with the range. */
export function ranged(field: string, from: number, to: number, integer: boolean, nullable = true): FieldCase {
  const noun = integer ? 'an integer' : 'a number';
  const says = `${noun} from ${from} to ${to}`;
  const step = integer ? 1 : 0.001;
  return {
    field,
    nullable,
    good: integer ? [from, to] : [from, to, (from + to) / 2],
    bad: [
      { value: from - step, says },
      { value: to + step, says: `; got ${to + step}.` },
      { value: to + step, says },
      { value: `${to}`, says: `${says}${nullable ? ' or null' : ''}; got a string` },
      { value: true, says },
      { value: [to], says },
      ...(integer ? [{ value: from + 0.5, says: `; got ${from + 0.5}` }] : []),
    ],
  };
}

/** An integer with a least value only, or with no bound at all. */
export function counted(field: string, least: number | undefined, nullable = true): FieldCase {
  const says = least === undefined ? 'must be an integer' : `an integer of at least ${least}`;
  const below = least === undefined ? [] : [{ value: least - 1, says }];
  return {
    field,
    nullable,
    good: [least ?? -5, 4096, 2_147_483_648],
    bad: [...below, { value: 1.5, says }, { value: '10', says }, { value: {}, says }],
  };
}

export function boolean(field: string, nullable = true): FieldCase {
  const says = 'true or false';
  const bad = ['true', 1, {}].map((value) => ({ value, says }));
  return { field, nullable, good: [true, false], bad };
}

export function string(field: string, nullable = false): FieldCase {
  const bad = [1, true, ['a'], {}].map((value) => ({ value, says: 'a string' }));
  return { field, nullable, good: ['a', ''], bad };
}

export function word(field: string, words: readonly string[], nullable = false): FieldCase {
  const says = `"${words[0]}"`;
  const bad = [
    { value: 'other', says: 'got "other"' },
    { value: 'other', says },
    { value: 'x'.repeat(41), says: 'got a string of 41 characters' },
    { value: 1, says },
  ];
  return { field, nullable, good: words, bad };
}
