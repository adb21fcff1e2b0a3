import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { JsonObject } from 'portcullis/sdk';
import { Cancellation } from '../../../core/upstream/cancellation.ts';
import { Collector } from '../upstream/support.ts';
import { closeLedgers, testLedger } from './ledgers.ts';
import { opened, type Recording, recordings, type Way, waysOf } from './recorded.ts';

after(closeLedgers);

const question = 'What is the weather like in New York, and who won?';
const asked: JsonObject = { model: 'm', messages: [{ role: 'user', content: question }] };
/** The question, the frame of its message and the opening of an answer. */
const askedTokens = countTokens(question) + 7;

const ledgers = { count: testLedger(), drain: testLedger({ onDisconnect: 'drain' }) };

/** A client that leaves behind so many events, as the gateway takes it: the reply is settled, then given up. */
function left(recording: Recording, way: Way, setting: keyof typeof ledgers, events: number) {
  const cancellation = new Cancellation();
  const parts = { ledger: ledgers[setting], asked, cancellation };
  const { source, stream, ledger } = opened(recording, way, parts);
  const sink = new Collector();
  stream.pipe(sink);
  for (const event of recording.events.slice(0, events)) source.send(Buffer.from(event));
  const told = { state: ledger.state, usage: ledger.usage };
  cancellation.cancel();
  const counting = ledger.counted();
  stream.abort();
  return { source, told, counting, sink };
}

/** Texts of an answer, by a look at the wire that knows nothing of the dialects. */
function spokenIn(events: readonly string[]): string {
  const fields = /"(?:content|text|delta|transcript|partial_json)":("(?:[^"\\]|\\.)*")/g;
  const texts = events.flatMap((event) => [...event.matchAll(fields)].map((match) => JSON.parse(match[1] ?? '""')));
  return texts.join('');
}

const chat: Recording = recordings.find(({ name }) => name === 'chat') ?? assert.fail('It is recorded.');

async function countedAt(recording: Recording, way: Way, events: number): Promise<void> {
  const { counting, told, source } = left(recording, way, 'count', events);
  const { usage, usageSource } = await counting;
  assert.equal(source.aborted, 1);
  if (told.state === 'final') {
    assert.deepEqual([usage, usageSource], [recording.usage, 'provider']);
    return;
  }
  const { input, output, total } = usage ?? assert.fail('Something was sent.');
  const most = countTokens(recording.events.slice(0, events).join(''));
  assert.equal(usageSource, 'estimated');
  assert.equal(input, told.usage?.input ?? askedTokens);
  assert.ok(output >= (told.usage?.output ?? 0));
  assert.ok(output <= Math.max(told.usage?.output ?? 0, most), `${output} of ${most}`);
  assert.equal(total, input + output);
}

describe('a client who leaves is reconciled', () => {
  for (const recording of recordings) {
    for (const way of waysOf(recording.dialect)) {
      it(`${recording.name}, ${way}: counted at every event`, async () => {
        for (let events = 1; events <= recording.events.length; events += 1) await countedAt(recording, way, events);
      });

      it(`${recording.name}, ${way}: drained at every event`, async () => {
        for (let events = 1; events <= recording.events.length; events += 1) {
          const { counting, source, sink, told } = left(recording, way, 'drain', events);
          const before = sink.text;
          for (const event of recording.events.slice(events)) source.send(Buffer.from(event));
          source.end();
          assert.deepEqual(await counting, { usage: recording.usage, usageSource: 'provider' });
          if (told.state !== 'final') assert.equal(sink.text, before, 'Nothing is sent to whoever has left.');
        }
      });
    }
  }

  it('with the tokens of the text that had been sent', async () => {
    for (let events = 1; events < 12; events += 1) {
      const counted = await left(chat, 'forwarded', 'count', events).counting;
      assert.equal(counted.usage?.output, countTokens(spokenIn(chat.events.slice(0, events))), `${events} events`);
    }
  });

  it('with what was kept when the answer is longer than what is drained', async () => {
    const { counting, source } = left(chat, 'forwarded', 'drain', 3);
    const long = Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":"${'word '.repeat(20_000)}"}}]}\n\n`);
    for (let sent = 0; sent < 9 * 1024 * 1024; sent += long.length) source.send(long);
    const { usage, usageSource } = await counting;
    assert.deepEqual([source.aborted, usageSource], [1, 'estimated']);
    const words = (85 * long.length) / 5;
    assert.ok((usage?.output ?? 0) > 0.9 * words && (usage?.output ?? 0) < 1.1 * words, `${usage?.output} of ${words}`);
  });
});
