import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { checkInput } from 'portcullis/sdk/testing';
import { bundleCode } from '../../../core/sandbox/bundle.ts';
import { GuestProgram } from '../../../core/sandbox/isolates.ts';
import type { FromChild } from '../../../core/sandbox/messages.ts';
import { payloadOf } from '../../../core/sandbox/payload.ts';

/** A program as the sandbox's process holds it; `run` gives the types of what was said of a run, without waiting if it can. */
async function held(code: string) {
  const said: FromChild[] = [];
  const program = new GuestProgram(await bundleCode(code, 'code'), 32, (message) => void said.push(message));
  after(() => program.unload());
  let id = 0;
  const of = (run: number) => said.filter((message) => 'id' in message && message.id === run).map(({ type }) => type);
  const begin = (text: string, quick: boolean) => {
    id += 1;
    const payload = payloadOf({ step: 'run', check: 'default', config: {}, input: checkInput({ text }) });
    return { id, ended: program.run({ type: 'run', id, key: 'k', timeoutMs: 5000, quick }, payload) };
  };
  return {
    program,
    begin,
    of,
    said,
    /** Until contexts stand ready. */
    ready: async () => {
      await begin('', false).ended;
      await delay(200);
    },
  };
}

describe('a quick run', () => {
  it('is over when it has been told to begin', async () => {
    const { begin, of, ready } = await held('export default () => ({ pass: true })');
    await ready();
    assert.deepEqual(of(begin('', true).id), ['done']);
  });

  it('of an async function is over as soon', async () => {
    const { begin, of, ready } = await held('export default async () => { await null; return { pass: true } }');
    await ready();
    assert.deepEqual(of(begin('', true).id), ['done']);
  });

  it('says that it waits, and then what it logged and called', async () => {
    const { program, begin, of, ready, said } = await held(
      "export default async ({ text }, host) => { if (text === 'call') { host.log.info('a'); await host.cache.get('a'); } return { pass: true } }",
    );
    await ready();
    const { id, ended } = begin('call', true);
    assert.deepEqual(of(id), ['waits']);
    while (!of(id).includes('call')) await delay(5);
    const call = said.find(({ type }) => type === 'call');
    assert.ok(call?.type === 'call');
    program.answer(id, call.call, '{"value":{}}');
    await ended;
    assert.deepEqual(of(id), ['waits', 'log', 'call', 'done']);
  });

  it('is cut off and begun anew, and what it had posted is forgotten', async () => {
    const { begin, of, ready } = await held(
      "export default ({ text }) => { if (text === 'slow') { console.log('x'); const end = Date.now() + 100; while (Date.now() < end); } return { pass: true } }",
    );
    await ready();
    const { id, ended } = begin('slow', true);
    assert.deepEqual(of(id), ['waits']);
    await ended;
    assert.deepEqual(of(id), ['waits', 'log', 'done']);
  });

  it('finds the way free when another was given up that waited for ever', async () => {
    const { program, begin, of, ready } = await held(
      "export default ({ text }) => (text === 'wait' ? new Promise(() => {}) : { pass: true })",
    );
    await ready();
    const waiting = begin('wait', false);
    await delay(20);
    program.stop(waiting.id);
    await waiting.ended;
    assert.deepEqual(of(waiting.id), ['failed']);
    await delay(200);
    assert.deepEqual(of(begin('', true).id), ['done']);
  });

  it('takes the ordinary way while another run of the program is under way', async () => {
    const { program, begin, of, ready } = await held(
      "export default ({ text }) => (text === 'wait' ? new Promise(() => {}) : { pass: true })",
    );
    await ready();
    const waiting = begin('wait', false);
    await delay(20);
    const { id, ended } = begin('', true);
    assert.deepEqual(of(id), ['waits']);
    await ended;
    assert.deepEqual(of(id), ['waits', 'done']);
    program.stop(waiting.id);
    await waiting.ended;
  });
});
