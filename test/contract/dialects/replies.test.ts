import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { collector } from '../../../sdk/dialects/collect.ts';
import type { GenerationDialect, GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import type { Completion } from '../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../sdk/dialects/replay.ts';
import { anyParts, completionOf } from '../../core/dialects/chat/arbitraries.ts';
import { contextOf, decodeFrames, encodeDeltas, framesOfText, frozen, generation } from './codec.ts';
import { contentFor, usageFor } from './content.ts';
import { replies } from './recordings.ts';
import { checkStream } from './wire-rules.ts';

const request = { model: 'asked', stream_options: { include_usage: true } };

function throughReply(
  client: GenerationDialect<GenerationDialectName>,
  completion: Completion,
  strict: boolean,
): Completion {
  const wire = client.encodeReply(frozen(completion), contextOf(strict, request));
  assert.doesNotMatch(JSON.stringify(wire), /"undefined"/);
  assert.deepEqual(JSON.parse(JSON.stringify(wire)), wire, 'a reply is plain JSON without undefined');
  return client.decodeReply(frozen(wire), contextOf(strict, request));
}

function throughStream(
  client: GenerationDialect<GenerationDialectName>,
  completion: Completion,
  strict: boolean,
): Completion {
  const wire = encodeDeltas(client, deltasOf(completion), contextOf(strict, request));
  checkStream(client.name, wire, { strict, includeUsage: true, counted: completion.usage !== undefined });
  const gathered = collector();
  for (const delta of decodeFrames(client.decodeStream(contextOf(strict, request)), framesOfText(wire)))
    gathered.push(delta);
  return gathered.completion();
}

function checkAnswer(client: GenerationDialect<GenerationDialectName>, completion: Completion): void {
  for (const strict of [true, false]) {
    const wanted = contentFor(client.name, strict, completion);
    const counts = usageFor(
      client.name,
      completion.usage ?? (client.name === 'messages' ? { input: 0, output: 0 } : undefined),
    );
    for (const through of [throughReply, throughStream]) {
      const seen = through(client, completion, strict);
      assert.deepEqual(contentFor(client.name, strict, seen), wanted, `${through.name}, strict: ${strict}`);
      assert.deepEqual(usageFor(client.name, seen.usage), counts, `${through.name}, strict: ${strict}`);
    }
  }
}

describe('replies: every recorded answer says the same in every format, whole and streamed', () => {
  for (const recording of replies) {
    it(`${recording.name} (${recording.dialect.name})`, () => {
      const completion = recording.dialect.decodeReply(recording.json, contextOf(true));
      for (const client of generation) checkAnswer(client, completion);
    });
  }
});

describe('replies: any answer says the same in every format, whole and streamed', () => {
  for (const client of generation) {
    it(client.name, () => {
      fc.assert(
        fc.property(completionOf(anyParts), (completion) => checkAnswer(client, completion)),
        { numRuns: 60 },
      );
    });
  }
});

it('there are recorded answers of every conversational format', () => {
  const known = new Set(replies.map((recording) => recording.dialect.name));
  for (const name of ['chat', 'messages', 'responses', 'gemini'] as const) assert.ok(known.has(name), name);
});
