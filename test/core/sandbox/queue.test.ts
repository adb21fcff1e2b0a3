import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TurnOf, Turns } from '../../../core/sandbox/queue.ts';

const wide = { running: 2, runningEach: 2, memoryMb: 1000, memoryEachMb: 1000, waiting: 100, waitingEach: 100 };

function of(organisation: string, memoryMb = 1, key = organisation): TurnOf {
  return { organisation, key, memoryMb };
}

/** Enters, and notes the name when it is its turn. */
function entered(turns: Turns, whose: TurnOf, started: string[], name = whose.key): void {
  const turn = turns.enter(whose);
  if (turn === undefined) started.push(name);
  else void turn.then(() => started.push(name));
}

describe('turns', () => {
  it('are had at once while there are some', () => {
    const turns = new Turns(wide);
    assert.equal(turns.enter(of('a')), undefined);
    assert.equal(turns.enter(of('b')), undefined);
    assert.deepEqual([turns.running, turns.waiting], [2, 0]);
    assert.notEqual(turns.enter(of('a')), undefined);
    assert.deepEqual([turns.running, turns.waiting], [2, 1]);
  });

  it('go round, however many one organisation asks for', async () => {
    const turns = new Turns({ ...wide, running: 1 });
    const started: string[] = [];
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) entered(turns, of(name.charAt(0)), started, name);
    for (let turn = 0; turn < 6; turn += 1) {
      await Promise.resolve();
      turns.leave(of(started.at(-1)?.charAt(0) ?? ''));
    }
    await Promise.resolve();
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('of one organisation are bounded, and leave room for others', () => {
    const turns = new Turns({ ...wide, running: 3, runningEach: 2 });
    const started: string[] = [];
    for (const name of ['a', 'a', 'a', 'b']) entered(turns, of(name), started);
    assert.deepEqual(started, ['a', 'a', 'b']);
    assert.equal(turns.waiting, 1);
  });

  it('are waited for by so many of an organisation, and by so many in all', () => {
    const turns = new Turns({ ...wide, running: 1, runningEach: 1, waiting: 3, waitingEach: 2 });
    for (const name of ['a', 'a', 'a', 'b']) void turns.enter(of(name));
    for (const name of ['a', 'b', 'c']) assert.throws(() => turns.enter(of(name)), /The sandbox is busy/);
    assert.deepEqual([turns.running, turns.waiting], [1, 3]);
  });

  it('are all given back in the end', async () => {
    const turns = new Turns({ ...wide, running: 1 });
    const started: string[] = [];
    for (const name of ['a', 'b', 'a']) entered(turns, of(name), started);
    for (let turn = 0; turn < 3; turn += 1) {
      await Promise.resolve();
      turns.leave(of(started.at(-1) ?? ''));
    }
    assert.deepEqual([turns.running, turns.waiting, started.length], [0, 0, 3]);
    assert.equal(turns.enter(of('a')), undefined);
  });

  describe('by memory', () => {
    const bounds = { ...wide, running: 100, runningEach: 100, memoryMb: 100, memoryEachMb: 60 };

    it('are had while the programs under way have room together', async () => {
      const turns = new Turns(bounds);
      const started: string[] = [];
      for (const name of ['a', 'b', 'c']) entered(turns, of(name, 40), started);
      assert.deepEqual(started, ['a', 'b']);
      turns.leave(of('a', 40));
      await Promise.resolve();
      assert.deepEqual(started, ['a', 'b', 'c']);
    });

    it('of one organisation are bounded, and leave room for others', async () => {
      const turns = new Turns(bounds);
      const started: string[] = [];
      for (const key of ['a1', 'a2', 'a3']) entered(turns, of('a', 30, key), started);
      entered(turns, of('b', 40), started);
      assert.deepEqual(started, ['a1', 'a2', 'b']);
      turns.leave(of('a', 30, 'a2'));
      await Promise.resolve();
      assert.deepEqual(started, ['a1', 'a2', 'b', 'a3']);
    });

    it('of one program take its memory once, until the last is over', async () => {
      const turns = new Turns(bounds);
      const started: string[] = [];
      for (const run of ['a1', 'a2', 'a3']) entered(turns, of('a', 60), started, run);
      entered(turns, of('b', 60), started);
      turns.leave(of('a', 60));
      turns.leave(of('a', 60));
      await Promise.resolve();
      assert.deepEqual(started, ['a1', 'a2', 'a3']);
      turns.leave(of('a', 60));
      await Promise.resolve();
      assert.deepEqual(started, ['a1', 'a2', 'a3', 'b']);
    });

    it('are not taken from who waits for much by those who want little', async () => {
      const turns = new Turns(bounds);
      const started: string[] = [];
      for (const name of ['a', 'b']) entered(turns, of(name, 40), started);
      entered(turns, of('large', 60), started);
      entered(turns, of('small', 10), started);
      // What runs already costs nothing more.
      entered(turns, of('a', 40), started);
      assert.deepEqual(started, ['a', 'b', 'a']);
      turns.leave(of('b', 40));
      turns.leave(of('a', 40));
      turns.leave(of('a', 40));
      await Promise.resolve();
      assert.deepEqual(started, ['a', 'b', 'a', 'large', 'small']);
    });

    it('are several at once where one that was large is over', async () => {
      const turns = new Turns(bounds);
      const started: string[] = [];
      entered(turns, of('large', 60), started);
      for (const name of ['a', 'b', 'c']) entered(turns, of(name, 30), started);
      assert.deepEqual(started, ['large', 'a']);
      turns.leave(of('large', 60));
      await Promise.resolve();
      assert.deepEqual(started, ['large', 'a', 'b', 'c']);
    });

    it('are had alone by a program that is larger than all bounds', async () => {
      const turns = new Turns(bounds);
      const started: string[] = [];
      entered(turns, of('huge', 200), started);
      entered(turns, of('b', 1), started);
      assert.deepEqual(started, ['huge']);
      turns.leave(of('huge', 200));
      await Promise.resolve();
      assert.deepEqual(started, ['huge', 'b']);
    });
  });
});
