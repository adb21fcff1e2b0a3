import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint, JsonObject, ReplySink, ReplyStream } from 'portcullis/sdk';
import { makesInStream, TappedStream } from '../../../core/affinity/tapped-stream.ts';

/** A stream that is pushed by hand. */
function source() {
  const calls: string[] = [];
  const state: { sink: ReplySink | undefined } = { sink: undefined };
  const stream: ReplyStream = {
    pipe: (sink) => {
      state.sink = sink;
    },
    resume: () => calls.push('resume'),
    abort: () => calls.push('abort'),
  };
  return { stream, calls, state };
}

function tapped(endpoint: Endpoint, body: JsonObject = {}, severalTargets = false) {
  const { stream, calls, state } = source();
  const noted: string[] = [];
  const out: (Uint8Array | string)[] = [];
  const exchange = { endpoint, method: 'POST', params: { rest: '/runs' }, query: '', body };
  const note = (made: readonly { readonly id: string }[]) => noted.push(...made.map(({ id }) => id));
  const tap = new TappedStream(stream, { exchange, severalTargets, note });
  let flows = true;
  tap.pipe({
    data: (chunk) => {
      out.push(chunk);
      return flows;
    },
    end: () => calls.push('end'),
    error: (error) => calls.push(error.message),
  });
  const push = (chunk: Uint8Array | string) => state.sink?.data(chunk);
  return { tap, calls, noted, out, push, sink: () => state.sink, pause: () => (flows = false) };
}

const event = (json: JsonObject) => `data: ${JSON.stringify(json)}\n\n`;
const created = event({ type: 'response.created', response: { id: 'r-1', output: [] } });
const done = event({
  type: 'response.output_item.done',
  item: { id: 'rs-1', type: 'reasoning', encrypted_content: 'gAAAA' },
});

describe('a stream that is read beside its way', () => {
  it('passes every chunk as the very same one, with what its reader says', () => {
    const { push, out, noted, pause } = tapped('createModelResponse');
    const bytes = Buffer.from(created + done);
    for (let at = 0; at < bytes.length; at += 7) assert.equal(push(bytes.subarray(at, at + 7)), true);
    assert.deepEqual(Buffer.concat(out.map((chunk) => Buffer.from(chunk))), bytes);
    const last = Buffer.from('x');
    pause();
    assert.equal(push(last), false);
    assert.equal(out.at(-1), last);
    assert.deepEqual(noted, ['r-1']);
  });

  it('hands on the end, a fault, a pause and a leave', () => {
    const { tap, sink, calls } = tapped('createModelResponse');
    tap.resume();
    tap.abort();
    sink()?.end();
    sink()?.error(new Error('broken'));
    assert.deepEqual(calls, ['resume', 'abort', 'end', 'broken']);
  });

  it('is read to its end where its items matter', () => {
    for (const [body, several] of [
      [{ include: ['reasoning.encrypted_content'] }, false],
      [{ tools: [{ type: 'code_interpreter' }] }, false],
      [{}, true],
    ] as const) {
      const { push, noted } = tapped('createModelResponse', body, several);
      push(created);
      push(event({ type: 'response.output_text.delta', delta: 'x' }));
      push(done);
      assert.deepEqual(noted, ['r-1', 'gAAAA', 'rs-1']);
    }
    const { push, noted } = tapped('createModelResponse');
    push(created);
    push(done);
    assert.deepEqual(noted, ['r-1'], 'elsewhere the first event tells everything');
  });

  it('may be of any form', () => {
    const { push, noted, out } = tapped('createModelResponse', {}, true);
    push(': comment\n\ndata: not JSON "response.created"\n\ndata: [1]\n\n');
    push(created);
    assert.deepEqual(noted, ['r-1']);
    assert.equal(out.length, 2);
    const huge = tapped('createModelResponse', {}, true);
    for (let part = 0; part < 18; part += 1) huge.push(`data: ${'x'.repeat(1024 * 1024)}`);
    huge.push(created);
    assert.equal(huge.out.length, 19);
    assert.deepEqual(huge.noted, []);
  });

  it('tells of threads and of containers', () => {
    const thread = tapped('threads');
    thread.push(event({ id: 't-1', object: 'thread' }));
    assert.deepEqual(thread.noted, ['t-1']);
    const code = tapped('messages', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] });
    code.push(event({ type: 'message_start', message: { id: 'm', container: null } }));
    code.push(event({ type: 'message_delta', delta: { container: { id: 'c-1' } } }));
    assert.deepEqual(code.noted, ['c-1']);
  });

  it('is any but those that make nothing', () => {
    const makes = (endpoint: Endpoint, body: JsonObject = {}) =>
      makesInStream({ endpoint, method: 'POST', params: {}, query: '', body });
    assert.ok(makes('createModelResponse') && makes('threads'));
    assert.ok(makes('messages', { tools: [{ type: 'code_execution_20250825' }] }));
    assert.ok(!makes('messages', { tools: [{ name: 'code_execution', input_schema: {} }] }));
    assert.ok(!makes('messages') && !makes('chatComplete') && !makes('retrieveFileContent'));
  });
});
