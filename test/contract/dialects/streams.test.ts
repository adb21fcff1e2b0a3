import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { collector } from '../../../sdk/dialects/collect.ts';
import type { GenerationDialect, GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import type { Completion, Delta } from '../../../sdk/dialects/neutral.ts';
import { contextOf, decodeFrames, encodeDeltas, framesOf, framesOfText, generation } from './codec.ts';
import { contentFor, usageFor } from './content.ts';
import { type StreamRecording, streams } from './recordings.ts';
import { checkStream } from './wire-rules.ts';

interface Manner {
  readonly strict: boolean;
  readonly includeUsage: boolean;
}

const manners: readonly Manner[] = [true, false].flatMap((strict) =>
  [true, false].map((includeUsage) => ({ strict, includeUsage })),
);
const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });

function gather(deltas: readonly Delta[]): Completion {
  const gathered = collector();
  for (const delta of deltas) gathered.push(delta);
  return gathered.completion();
}

function translate(
  client: GenerationDialect<GenerationDialectName>,
  deltas: readonly Delta[],
  { strict, includeUsage }: Manner,
): string {
  const request = {
    model: 'asked',
    stream: true,
    ...(includeUsage ? { stream_options: { include_usage: true } } : {}),
  };
  return encodeDeltas(client, deltas, contextOf(strict, request));
}

function checkTranslation(
  recording: StreamRecording,
  client: GenerationDialect<GenerationDialectName>,
  manner: Manner,
  cuts: readonly number[],
): void {
  const deltas = decodeFrames(
    recording.dialect.decodeStream(contextOf(manner.strict)),
    framesOf(recording.bytes, cuts),
  );
  const source = gather(deltas);
  const wire = translate(client, deltas, manner);
  const { strict, includeUsage } = manner;
  checkStream(client.name, wire, { strict, includeUsage, counted: source.usage !== undefined });
  const broken = deltas.at(-1)?.type === 'fault';
  const answer = decodeFrames(client.decodeStream(contextOf(strict)), framesOfText(wire));
  assert.equal(answer.at(-1)?.type, deltas.at(-1)?.type);
  // What waits for the end of a broken stream is never sent.
  if (broken) return;
  const seen = gather(answer);
  assert.deepEqual(contentFor(client.name, strict, seen), contentFor(client.name, strict, source));
  const silent = (client.name === 'chat' || client.name === 'completions') && !includeUsage;
  const counted = source.usage ?? (client.name === 'messages' ? { input: 0, output: 0 } : undefined);
  assert.deepEqual(usageFor(client.name, seen.usage), silent ? undefined : usageFor(client.name, counted));
}

describe('streams: every recording reaches a client of every format whole and well-formed', () => {
  for (const client of generation) {
    for (const recording of streams) {
      it(`${recording.name} (${recording.dialect.name}) -> ${client.name}`, () => {
        for (const manner of manners) {
          fc.assert(
            fc.property(sizes, (cuts) => checkTranslation(recording, client, manner, cuts)),
            { numRuns: 5 },
          );
        }
      });
    }
  }
});

describe('streams: a recording that breaks off becomes an error that every client understands', () => {
  for (const client of generation) {
    it(client.name, () => {
      for (const recording of streams) {
        const frames = framesOf(recording.bytes);
        for (const [index] of frames.entries()) {
          const deltas = decodeFrames(recording.dialect.decodeStream(contextOf(true)), frames.slice(0, index));
          const last = deltas.at(-1)?.type;
          assert.ok(last === 'fault' || last === 'end', recording.name);
          const manner = { strict: true, includeUsage: true };
          const counted = gather(deltas).usage !== undefined;
          const wire = translate(client, deltas, manner);
          checkStream(client.name, wire, { ...manner, counted });
          const seen = decodeFrames(client.decodeStream(contextOf(true)), framesOfText(wire));
          assert.equal(seen.at(-1)?.type, last, `${recording.name} after ${index} frames`);
        }
      }
    });
  }
});

it('there are recorded streams of every format', () => {
  const known = new Set(streams.map((recording) => recording.dialect.name));
  for (const name of ['chat', 'messages', 'responses', 'gemini', 'completions'] as const)
    assert.ok(known.has(name), name);
});
