import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects, type JsonObject } from 'portcullis/sdk';
import { streamOf } from '../../../plugins/guardrails/stream/bytes-stream.ts';
import { type ReportingOptions, ReportingStream } from '../../../plugins/guardrails/stream/reporting.ts';
import type { Speech } from '../../../plugins/guardrails/stream/speech.ts';
import { answer, Client, contextOf, Source, start, text, understood, wireOf } from './windows.ts';

interface Told {
  readonly source: Source;
  readonly client: Client;
  readonly stream: ReportingStream;
  readonly judged: string[];
}

const results: JsonObject = { after_request_hooks: [] };

function told(options: Partial<ReportingOptions> = {}): Told {
  const source = new Source();
  const client = new Client();
  const judged: string[] = [];
  const stream = new ReportingStream({
    source,
    dialect: { ...dialects.chat, name: 'chat' },
    context: contextOf(),
    first: undefined,
    judge: (speech: Speech) => {
      judged.push(
        speech
          .reading()
          .fragments.map((fragment) => fragment.text)
          .join('|'),
      );
    },
    last: () => results,
    ...options,
  });
  stream.pipe(client);
  return { source, client, stream, judged };
}

describe('a stream that is reported on', () => {
  it('is sent on as it comes, but for its last event', () => {
    const { source, client } = told();
    const bytes = wireOf(answer('Hello'));
    source.push(bytes);
    assert.equal(client.bytes, bytes.replace('data: [DONE]\n\n', ''));
    source.end();
    assert.match(client.bytes, /"hook_results":\{"after_request_hooks":\[\]\}\}\n\ndata: \[DONE\]\n\n$/);
    assert.equal(client.ended, 1);
  });

  it('passes comments on, so that nobody hangs up while a model thinks', () => {
    const { source, client } = told();
    source.push(': still here\n\n');
    assert.equal(client.bytes, ': \n\n');
    source.push(': still ');
    source.push('here\n');
    source.push('\n: and here\n\n');
    assert.equal(client.bytes, ': \n\n: \n\n: \n\n');
  });

  it('takes no event for a comment', () => {
    const { source, client } = told();
    source.push('data: {"a":\n');
    source.push('data: ":"}');
    assert.equal(client.bytes, '');
  });

  it('does not break an event that has begun with a comment', () => {
    const { source, client } = told();
    const [first = ''] = wireOf([start, text('Hello')]).split('\n\n');
    source.push(first.slice(0, 20));
    source.push(`${first.slice(20)}\n`);
    source.push(': note\n');
    source.push('\n');
    assert.deepEqual(
      client.bytes.split('\n\n').filter((event) => event.startsWith('data:')),
      [first],
    );
  });

  it('waits for its judges only with what comes last', async () => {
    let done = () => {};
    const judge = () =>
      new Promise<void>((resolve) => {
        done = resolve;
      });
    const { source, client } = told({ judge });
    source.push(wireOf(answer('Hello')));
    source.end();
    assert.match(client.bytes, /Hello/);
    assert.doesNotMatch(client.bytes, /DONE/);
    assert.equal(client.ended, 0);
    done();
    await new Promise(setImmediate);
    assert.match(client.bytes, /DONE/);
    assert.equal(client.ended, 1);
  });

  it('keeps its order where something comes behind the last event', () => {
    const { source, client } = told();
    source.push(`${wireOf(answer('Hello'))}data: {"late":true}\n\n`);
    source.end();
    assert.match(client.bytes, /hook_results.*\n\ndata: \[DONE\]\n\ndata: \{"late":true\}\n\n$/);
  });

  it('is judged once, by what it has said, when the client leaves', () => {
    const { source, client, stream, judged } = told();
    source.push(wireOf([start, text('Hello')]));
    stream.abort();
    source.end();
    assert.deepEqual(judged, ['Hello']);
    assert.ok(source.aborted);
    assert.equal(client.ended, 0);
  });

  it('is judged once when it breaks', () => {
    const { source, client, judged } = told();
    source.push(wireOf([start, text('Hello')]));
    source.break(new Error('gone'));
    source.end();
    assert.deepEqual([judged, client.broken?.message], [['Hello'], 'gone']);
  });

  it('ends with an error, and is judged, when its bytes are no events', () => {
    const { source, client, judged } = told();
    source.push(wireOf([start, text('Hello')]));
    source.push(`data: ${'x'.repeat(17 * 1024 * 1024)}`);
    assert.equal(understood(client.bytes).at(-1)?.type, 'fault');
    assert.ok(source.aborted);
    assert.deepEqual([judged, client.ended], [['Hello'], 1]);
  });

  it('finds the end of events without a name', () => {
    const { source, client } = told({ dialect: { ...dialects.messages, name: 'messages' } });
    source.push(wireOf(answer('Hello'), dialects.messages).replaceAll(/^event: .*\n/gm, ''));
    source.end();
    assert.match(client.bytes, /event: hook_results\ndata: .*\n\ndata: \{"type":"message_stop"\}\n\n$/);
  });

  it('tells first results in front of, or behind, what opens the format', () => {
    for (const [name, place] of [
      ['chat', /^data: .*hook_results/],
      ['completions', /^data: .*hook_results/],
      ['messages', /^event: message_start\ndata: .*\n\nevent: hook_results\n/],
      ['responses', /^event: response.created\ndata: .*\n\nevent: hook_results\n/],
    ] as const) {
      const { source, client } = told({ dialect: { ...dialects[name], name }, first: results, last: undefined });
      source.push(wireOf(answer('Hello'), dialects[name]));
      source.end();
      assert.match(client.bytes, place);
      assert.equal(client.bytes.match(/hook_results":/g)?.length, 1);
    }
  });

  it('cannot be looked at once it has said more than is kept', () => {
    const unreadable: number[] = [];
    const { source } = told({
      judge: (speech) => {
        unreadable.push(speech.reading().unreadable.length);
      },
    });
    const piece = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 5; count += 1) source.push(wireOf([start, text(piece)]));
    source.end();
    assert.deepEqual(unreadable, [1]);
  });
});

describe('a stream out of bytes', () => {
  it('gives them once, and nothing after it was given up', () => {
    const kept = new Client();
    streamOf(Buffer.from('all')).pipe(kept);
    assert.deepEqual([kept.bytes, kept.ended], ['all', 1]);
    const left = new Client();
    const stream = streamOf(Buffer.from('all'));
    stream.abort();
    stream.pipe(left);
    assert.deepEqual([left.bytes, left.ended], ['', 0]);
  });
});
