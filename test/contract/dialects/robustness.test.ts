import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { collector } from '../../../sdk/dialects/collect.ts';
import type { GenerationDialect, GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import type { Call, Completion, Delta } from '../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../sdk/dialects/replay.ts';
import { GatewayError } from '../../../sdk/errors.ts';
import type { Frame } from '../../../sdk/framing/framing.ts';
import { asObject, type Json, type JsonObject, parseJson } from '../../../sdk/json.ts';
import { contextOf, decodeFrames, encodeDeltas, framesOf, frozen, generation } from './codec.ts';
import { replies, requests, streams } from './recordings.ts';
import { checkStream } from './wire-rules.ts';

const words = fc.constantFrom(
  'text',
  'tool_use',
  'function',
  'message',
  'reasoning',
  'assistant',
  'user',
  '',
  'x',
  'constructor',
  '__proto__',
  'toString',
);
const scalar = fc.oneof(
  words,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0.5 : value)),
  fc.boolean(),
  fc.constant(null),
);
const anyJson: fc.Arbitrary<Json> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('type', 'id', 'name', 'content', 'text', 'role', 'input', 'index'), scalar, {
    maxKeys: 3,
    noNullPrototype: true,
  }),
) as fc.Arbitrary<Json>;

type Change = (value: Json | undefined) => Json | undefined;
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>(() => undefined),
  anyJson.map(
    (value): Change =>
      () =>
        value,
  ),
  fc.constant<Change>((value) => (value === undefined ? value : [value, value])),
  fc.constant<Change>((value) => ({ type: 'new_kind', value: value ?? null })),
);
interface Mutation {
  /** Which of all the fields inside, by turns. */
  readonly place: number;
  readonly change: Change;
}
const mutations = fc.array(fc.record({ place: fc.nat(), change }), { minLength: 1, maxLength: 3 });

interface Place {
  readonly holder: { [key: string]: Json } | Json[];
  readonly key: string;
}

function placesIn(value: Json): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Place['holder'];
  return Object.keys(value).flatMap((key) => [{ holder, key }, ...placesIn((value as JsonObject)[key] ?? null)]);
}

/** A copy with some fields dropped, retyped, doubled or wrapped. */
function mutated(json: JsonObject, changes: readonly Mutation[]): JsonObject {
  let copy = structuredClone(json) as JsonObject;
  for (const { place, change: apply } of changes) {
    const places = placesIn(copy);
    const target = places[place % Math.max(1, places.length)];
    if (target === undefined) break;
    const fields = target.holder as { [key: string]: Json };
    const value = apply(fields[target.key]);
    if (value === undefined && Array.isArray(target.holder)) target.holder.splice(Number(target.key), 1);
    else if (value === undefined) delete fields[target.key];
    else fields[target.key] = structuredClone(value);
    copy = asObject(JSON.parse(JSON.stringify(copy))) ?? {};
  }
  return frozen(copy);
}

/** The value, or undefined for an error that becomes a reply; anything else fails the test. */
function orRefusal<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (GatewayError.is(error)) return undefined;
    throw error;
  }
}

function encodeCalls(call: Call | undefined): void {
  if (call === undefined) return;
  for (const target of generation) {
    for (const strict of [true, false]) {
      const body = orRefusal((): JsonObject => target.encodeCall(frozen(call), contextOf(strict)));
      if (body !== undefined) assert.deepEqual(JSON.parse(JSON.stringify(body)), body, 'a request is plain JSON');
    }
  }
}

function encodeAnswers(completion: Completion | undefined): void {
  if (completion === undefined) return;
  for (const client of generation) {
    client.encodeReply(frozen(completion), contextOf(true));
    encodeStream(client, deltasOf(completion));
  }
}

function encodeStream(client: GenerationDialect<GenerationDialectName>, deltas: readonly Delta[]): void {
  const asked = { strict: true, includeUsage: true };
  const request = { model: 'asked', stream_options: { include_usage: true } };
  const gathered = collector();
  for (const delta of deltas) gathered.push(delta);
  const wire = encodeDeltas(client, deltas, contextOf(true, request));
  checkStream(client.name, wire, { ...asked, counted: gathered.completion().usage !== undefined });
}

const anyObject = fc.dictionary(
  fc.constantFrom(
    'messages',
    'input',
    'contents',
    'content',
    'choices',
    'candidates',
    'output',
    'tools',
    'usage',
    'stop',
    'model',
    'system',
    'text',
    'type',
    'prompt',
  ),
  fc.oneof(anyJson, fc.array(anyJson, { maxLength: 3 })),
  { maxKeys: 6, noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;

describe('robustness: any JSON is read or refused, never a crash', () => {
  for (const dialect of generation) {
    it(`${dialect.name} requests`, () => {
      fc.assert(
        fc.property(anyObject, (body) =>
          encodeCalls(orRefusal(() => dialect.decodeCall(frozen(body), contextOf(true)))),
        ),
        {
          numRuns: 200,
        },
      );
    });
    it(`${dialect.name} replies`, () => {
      fc.assert(
        fc.property(anyObject, (body) =>
          encodeAnswers(orRefusal(() => dialect.decodeReply(frozen(body), contextOf(true)))),
        ),
        {
          numRuns: 200,
        },
      );
    });
  }
});

describe('robustness: damaged recordings are read or refused, never a crash', () => {
  for (const recording of requests) {
    it(`request ${recording.name}`, () => {
      fc.assert(
        fc.property(mutations, (changes) => {
          const body = mutated(recording.json, changes);
          encodeCalls(orRefusal(() => recording.dialect.decodeCall(body, contextOf(true))));
        }),
        { numRuns: 25 },
      );
    });
  }
  for (const recording of replies) {
    it(`reply ${recording.name}`, () => {
      fc.assert(
        fc.property(mutations, (changes) => {
          const body = mutated(recording.json, changes);
          encodeAnswers(orRefusal(() => recording.dialect.decodeReply(body, contextOf(true))));
        }),
        { numRuns: 25 },
      );
    });
  }
  for (const recording of streams) {
    it(`stream ${recording.name}`, () => {
      const frames = framesOf(recording.bytes);
      const order = fc.array(fc.nat(frames.length - 1), { maxLength: frames.length + 3 });
      fc.assert(
        fc.property(mutations, fc.nat(frames.length - 1), fc.option(order), (changes, at, picks) => {
          const damaged = frames.map((frame, index) => (index === at ? damagedFrame(frame, changes) : frame));
          const played = picks === null ? damaged : picks.flatMap((pick) => damaged[pick] ?? []);
          const deltas = decodeFrames(recording.dialect.decodeStream(contextOf(true)), played);
          checkDeltas(deltas);
          for (const client of generation) encodeStream(client, deltas);
        }),
        { numRuns: 40 },
      );
    });
  }
});

function damagedFrame(frame: Frame, changes: readonly Mutation[]): Frame {
  const json = asObject(parseJson(frame.data));
  return json === undefined ? frame : { ...frame, data: JSON.stringify(mutated(json, changes)) };
}

/** A decoder keeps the order that encoders count on, whatever the provider sends. */
function checkDeltas(deltas: readonly Delta[]): void {
  const last = deltas.at(-1)?.type;
  assert.ok(last === 'end' || last === 'fault');
  assert.equal(deltas.filter((delta) => delta.type === 'end' || delta.type === 'fault').length, 1);
  assert.ok(deltas.filter((delta) => delta.type === 'start').length <= 1);
  if (last === 'end') assert.equal(deltas[0]?.type, 'start');
  const blocks = new Map<number, number>();
  const finished = new Set<number>();
  for (const delta of deltas) {
    if (delta.type === 'finish') {
      assert.ok(!finished.has(delta.choice), 'one finish a choice');
      finished.add(delta.choice);
    } else if ('block' in delta) {
      assert.ok(!finished.has(delta.choice), 'nothing after the finish');
      assert.ok(delta.block >= (blocks.get(delta.choice) ?? 0), 'block numbers never decrease');
      blocks.set(delta.choice, delta.block);
    }
  }
}
