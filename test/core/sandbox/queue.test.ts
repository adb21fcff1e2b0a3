import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Turns } from '../../../core/sandbox/queue.ts';

const wide = { running: 2, runningEach: 2, waiting: 100, waitingEach: 100 };

/** Enters, and notes the name when it is its turn. */
function entered(turns: Turns, organisation: string, started: string[], name = organisation): void {
  const turn = turns.enter(organisation);
  if (turn === undefined) started.push(name);
  else void turn.then(() => started.push(name));
}

describe('turns', () => {
  it('are had at once while there are some', () => {
    const turns = new Turns(wide);
    assert.equal(turns.enter('a'), undefined);
    assert.equal(turns.enter('b'), undefined);
    assert.deepEqual([turns.running, turns.waiting], [2, 0]);
    assert.notEqual(turns.enter('a'), undefined);
    assert.deepEqual([turns.running, turns.waiting], [2, 1]);
  });

  it('go round, however many one organisation asks for', async () => {
    const turns = new Turns({ ...wide, running: 1 });
    const started: string[] = [];
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) entered(turns, name.charAt(0), started, name);
    for (let turn = 0; turn < 6; turn += 1) {
      await Promise.resolve();
      turns.leave(started.at(-1)?.charAt(0) ?? '');
    }
    await Promise.resolve();
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('of one organisation are bounded, and leave room for others', () => {
    const turns = new Turns({ ...wide, running: 3, runningEach: 2 });
    const started: string[] = [];
    for (const name of ['a', 'a', 'a', 'b']) entered(turns, name, started);
    assert.deepEqual(started, ['a', 'a', 'b']);
    assert.equal(turns.waiting, 1);
  });

  it('are waited for by so many of an organisation, and by so many in all', () => {
    const turns = new Turns({ running: 1, runningEach: 1, waiting: 3, waitingEach: 2 });
    for (const name of ['a', 'a', 'a', 'b']) void turns.enter(name);
    for (const name of ['a', 'b', 'c']) assert.throws(() => turns.enter(name), /The sandbox is busy/);
    assert.deepEqual([turns.running, turns.waiting], [1, 3]);
  });

  it('are all given back in the end', async () => {
    const turns = new Turns({ ...wide, running: 1 });
    const started: string[] = [];
    for (const name of ['a', 'b', 'a']) entered(turns, name, started);
    for (let turn = 0; turn < 3; turn += 1) {
      await Promise.resolve();
      turns.leave(started.at(-1) ?? '');
    }
    assert.deepEqual([turns.running, turns.waiting, started.length], [0, 0, 3]);
    assert.equal(turns.enter('a'), undefined);
  });
});
