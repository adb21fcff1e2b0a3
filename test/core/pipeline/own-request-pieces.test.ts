import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type ReplySink } from 'portcullis/sdk';
import { ReplyPieces } from '../../../core/pipeline/reply-pieces.ts';
import { Cancellation } from '../../../core/upstream/cancellation.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';

noUnhandledRejections();

/** A provider's stream in the hands of the test. */
function source() {
  const cancellation = new Cancellation();
  const events: string[] = [];
  let sink: ReplySink | undefined;
  const stream = {
    pipe: (given: ReplySink) => {
      events.push('piped');
      sink = given;
    },
    resume: () => events.push('resumed'),
    abort: () => events.push('aborted'),
  };
  const open = () =>
    new ReplyPieces(stream, {
      cancellation,
      passed: () => {},
      done: (ending) => events.push(ending),
    });
  return { cancellation, events, open, sink: () => sink as ReplySink };
}

describe('the pieces of a reply', () => {
  it('ask their source to pause while nobody reads, and to go on when all are taken', async () => {
    const { events, open, sink } = source();
    const pieces = open();
    const taken = Array.from({ length: 16 }, (_, index) => sink().data(String(index)));
    assert.deepEqual(taken, [...Array(15).fill(true), false]);
    for (let index = 0; index < 15; index += 1) await pieces.next();
    assert.deepEqual(events, ['piped']);
    assert.equal(String((await pieces.next()).value), '15');
    assert.deepEqual(events, ['piped', 'resumed']);
    sink().data('more');
    await pieces.next();
    assert.deepEqual(events, ['piped', 'resumed'], 'a source that flows is not asked again');
  });

  it('are told over once, whatever comes later', async () => {
    const { cancellation, events, open, sink } = source();
    const pieces = open();
    sink().data('a');
    sink().end();
    sink().error(new Error('late'));
    cancellation.cancel();
    assert.equal(String((await pieces.next()).value), 'a');
    assert.equal((await pieces.next()).done, true);
    await pieces.return();
    assert.deepEqual(events, ['piped', 'sent']);
  });

  it('end with the error of their source, behind what came before it', async () => {
    const { events, open, sink } = source();
    const pieces = open();
    sink().data('a');
    sink().error(new GatewayError('upstream_invalid', 'It broke.'));
    assert.equal(String((await pieces.next()).value), 'a');
    await assert.rejects(pieces.next(), { message: 'It broke.' });
    assert.equal((await pieces.next()).done, true);
    assert.deepEqual(events, ['piped', 'left']);
  });

  it('are given up without being read where the caller has left before', async () => {
    const { cancellation, events, open } = source();
    cancellation.cancel();
    const pieces = open();
    assert.deepEqual(events, ['left', 'aborted']);
    await assert.rejects(pieces.next(), { code: 'client_closed' });
  });

  it('go to each of several that ask at once', async () => {
    const { open, sink } = source();
    const pieces = open();
    const asked = [pieces.next(), pieces.next(), pieces.next()];
    sink().data('a');
    sink().data('b');
    sink().end();
    const results = await Promise.all(asked);
    assert.deepEqual(
      results.map(({ value }) => value?.toString()),
      ['a', 'b', undefined],
    );
  });
});
