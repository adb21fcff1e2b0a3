import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Delta, dialects } from 'portcullis/sdk';
import type { Reading } from '../../../plugins/guardrails/scan/reading.ts';
import type { Looked } from '../../../plugins/guardrails/stream/window-options.ts';
import {
  answer,
  deny,
  end,
  finish,
  mask,
  pass,
  start,
  text,
  textOf,
  understood,
  type Windows,
  windows,
  wireOf,
} from './windows.ts';

const chunk = (said: string) =>
  wireOf([start, text(said)])
    .split('\n\n')
    .slice(1)
    .join('\n\n');
const seen = ({ client }: Windows) => textOf(understood(client.bytes));

function clock(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return t.mock.timers;
}

describe('what is held back', () => {
  it('is all of a reply that is judged as a whole, and is looked at once', async (t) => {
    const time = clock(t);
    const looked: string[] = [];
    const look = (reading: Reading) => {
      looked.push(...reading.fragments.map((fragment) => fragment.text));
      return pass();
    };
    const held = windows(look, { tokens: 8, ms: 10 }, { whole: true });
    const said = 'four '.repeat(100);
    held.source.push(wireOf([start]));
    for (const word of said.match(/.{5}/g) ?? []) held.source.push(chunk(word));
    time.tick(60_000);
    assert.deepEqual([looked, held.client.bytes], [[], '']);
    held.source.push(wireOf([start, finish(), end]).split('\n\n').slice(1).join('\n\n'));
    held.source.end();
    assert.deepEqual([looked, await held.opened, seen(held)], [[said], false, said]);
  });

  it('is no more than 16 MiB of a reply that is judged as a whole: then the reply fails', async () => {
    const held = windows(pass, {}, { whole: true });
    held.source.push(wireOf([start]));
    const event = chunk('x'.repeat(1024 * 1024));
    for (let count = 0; count < 17; count += 1) held.source.push(event);
    assert.equal(await held.opened, false);
    assert.match(held.client.bytes, /longer than what is kept for checks of whole replies/);
    assert.deepEqual([held.client.bytes.includes('xxx'), held.source.aborted], [false, true]);
  });

  it('is never more than the tokens of the rule, and one piece of the provider', () => {
    const said = 'four '.repeat(200);
    const held = windows(pass, { tokens: 16, overlap: 4 });
    held.source.push(wireOf([start]));
    for (const [index, word] of said.match(/.{5}/g)?.entries() ?? []) {
      held.source.push(chunk(word));
      const out = seen(held).length;
      assert.ok((index + 1) * 5 - out < 16 * 4, `${out} of ${(index + 1) * 5} are out`);
    }
    assert.ok(held.longest() < 16 * 4 + 5);
  });

  it('is never more than that where one word has no end', () => {
    const held = windows(pass, { tokens: 8, overlap: 4 });
    for (let count = 1; count <= 100; count += 1) {
      held.source.push(chunk('xxxxx'));
      assert.ok(count * 5 - seen(held).length <= 32);
    }
  });

  it('is never more than that where an edit never ends', () => {
    const held = windows(mask(/[\s\S]+/g, '#'), { tokens: 8, overlap: 7 });
    for (let count = 0; count < 50; count += 1) held.source.push(chunk('word '));
    assert.ok(held.longest() <= 40, `${held.longest()} characters were held`);
    assert.equal(seen(held), '#');
  });

  it('of one part does not keep back the next', () => {
    const held = windows(pass, { tokens: 8, overlap: 7 });
    const thinking: Delta = { type: 'thinking', choice: 0, block: 0, text: 'I think about it, and think.' };
    held.source.push(wireOf([start, thinking]));
    for (let count = 0; count < 20; count += 1) held.source.push(chunk('word '));
    assert.ok(seen(held).length >= 60, seen(held));
  });

  it('of one answer does not keep back another', () => {
    const held = windows(pass, { tokens: 8, overlap: 7 });
    held.source.push(chunk('Held. '));
    const second = wireOf([start, ...Array.from({ length: 20 }, () => text('word ', 1))]);
    held.source.push(second);
    assert.ok(textOf(understood(held.client.bytes), 'text', 1).length >= 60);
  });

  it('goes out when the time of the rule is over, but for the overlap', (t) => {
    const timers = clock(t);
    const held = windows(pass, { tokens: 64, ms: 500, overlap: 1 });
    held.source.push(chunk('one two three '));
    timers.tick(499);
    assert.equal(seen(held), '');
    timers.tick(1);
    assert.equal(seen(held), 'one two ');
    held.window.abort();
  });

  it('goes out whole when nothing more comes for the same time again', (t) => {
    const timers = clock(t);
    const held = windows(pass, { tokens: 64, ms: 500, overlap: 8 });
    held.source.push(chunk('one two'));
    timers.tick(500);
    assert.equal(seen(held), '');
    timers.tick(500);
    assert.equal(seen(held), 'one two');
  });

  it('is looked at again together with what comes late', (t) => {
    const timers = clock(t);
    const held = windows(mask(/\d{4} \d{4} \d{4}/g), { tokens: 64, ms: 100, overlap: 8 });
    for (const piece of ['the number is 4111', ' 1111 ', '2222 and ', 'so on, and on, and on it goes']) {
      held.source.push(chunk(piece));
      timers.tick(100);
      assert.doesNotMatch(held.client.bytes, /4111|1111|2222/);
    }
    held.source.push(wireOf([finish(), end]));
    held.source.end();
    assert.equal(seen(held), 'the number is [X] and so on, and on, and on it goes');
  });

  it('that has gone out whole is still looked at together with what comes then', (t) => {
    const timers = clock(t);
    const held = windows(mask(/4111[ \d]+1\b/g), { tokens: 64, ms: 100, overlap: 8 });
    held.source.push(chunk('The card is 4111 1111'));
    for (let count = 0; count < 2; count += 1) timers.tick(100);
    assert.equal(seen(held), 'The card is [X]');
    held.source.push(chunk(' 1111 1111 ok'));
    for (let count = 0; count < 2; count += 1) timers.tick(100);
    assert.equal(seen(held), 'The card is [X] ok');
  });

  it('is denied for what begins in what has gone out', (t) => {
    const timers = clock(t);
    const held = windows(deny(/4111 1111 1111/), { tokens: 64, ms: 100, overlap: 8 });
    held.source.push(chunk('The card is 4111 1111 '));
    for (let count = 0; count < 2; count += 1) timers.tick(100);
    assert.equal(seen(held), 'The card is 4111 1111 ');
    held.source.push(wireOf([text('1111 1111 ok'), finish(), end]));
    assert.equal(seen(held), 'The card is 4111 1111 ');
    assert.match(held.client.bytes, /content_filter/);
  });

  it('masks the rest of what begins in what has gone out, and leaves the rest as it is', (t) => {
    const timers = clock(t);
    const held = windows(mask(/(?:\d{4} ){3}\d{4}|card/g), { tokens: 64, ms: 100, overlap: 8 });
    held.source.push(chunk('The card is 4111 1111 '));
    for (let count = 0; count < 2; count += 1) timers.tick(100);
    held.source.push(wireOf([text('1111 1111 ok'), finish(), end]));
    assert.equal(seen(held), 'The [X] is 4111 1111 [X] ok');
  });

  it('waits for no timer once the stream is over', (t) => {
    const timers = clock(t);
    const held = windows(pass);
    held.source.push(wireOf(answer('Hello')));
    held.source.end();
    const { bytes } = held.client;
    timers.tick(10_000);
    assert.equal(held.client.bytes, bytes);
    assert.equal(held.client.ended, 1);
  });
});

describe('a slow client', () => {
  it('makes the source wait, and lets it go on', () => {
    const held = windows(pass, { tokens: 8, overlap: 0 });
    assert.equal(held.source.push(chunk('short ')), true);
    held.client.takes = false;
    assert.equal(held.source.push(chunk('and long enough to be looked at ')), false);
    const before = held.source.resumed;
    held.window.resume();
    assert.equal(held.source.resumed, before + 1);
  });
});

describe('a slow look', () => {
  const slow = () => {
    const answers: ((looked: Looked) => void)[] = [];
    const look = () => new Promise<Looked>((resolve) => answers.push(resolve));
    return { look, answers };
  };

  it('makes the source wait, and what comes meanwhile is looked at next', async () => {
    const { look, answers } = slow();
    const held = windows(look, { tokens: 8, overlap: 0 });
    assert.equal(held.source.push(chunk('the first piece is long enough to be looked at ')), false);
    assert.equal(held.source.push(chunk('the second piece is long enough to be looked at')), false);
    assert.equal(answers.length, 1);
    assert.equal(seen(held), '');
    answers[0]?.(pass());
    await held.opened;
    assert.match(seen(held), /^the first piece/);
    assert.equal(answers.length, 2);
    held.source.end();
    answers[1]?.(pass());
    await new Promise(setImmediate);
    assert.equal(held.client.ended, 0, 'the end that the provider forgot is looked at');
    answers[2]?.(pass());
    await new Promise(setImmediate);
    assert.equal(held.client.ended, 1);
  });

  it('that fails lets nothing of what was held go out, and ends the stream with an error', async () => {
    const held = windows(() => Promise.reject(new Error('inner words')), { tokens: 8, overlap: 0 });
    held.source.push(chunk('the first piece is long enough to be looked at '));
    assert.equal(await held.opened, false);
    assert.doesNotMatch(held.client.bytes, /first piece|inner words/);
    assert.ok(held.source.aborted);
    assert.equal(understood(held.client.bytes).at(-1)?.type, 'fault');
    assert.equal(held.client.ended, 1);
  });

  it('says nothing to a client that has left', async () => {
    const { look, answers } = slow();
    const held = windows(look, { tokens: 8, overlap: 0 });
    held.source.push(chunk('the first piece is long enough to be looked at '));
    held.window.abort();
    answers[0]?.(pass());
    assert.equal(await held.opened, false);
    assert.doesNotMatch(held.client.bytes, /first piece/);
    assert.equal(held.client.ended, 0);
    assert.ok(held.source.aborted);
  });
});

describe('a denied piece', () => {
  it('that is the first denies the whole reply', async () => {
    const { source, client, opened } = windows(deny(/bad/));
    source.push(wireOf(answer('This is bad.')));
    assert.equal(await opened, true);
    assert.doesNotMatch(client.bytes, /This|DONE/);
    assert.ok(source.aborted);
  });

  it('that comes later ends each answer that is not over', async () => {
    const { source, client, opened } = windows(deny(/bad/), { tokens: 8, overlap: 0 });
    source.push(wireOf([start, text('It begins so well that it goes on and on. '), text('First.', 1)]));
    source.push(chunk('Then it turns bad, which is long enough.'));
    assert.equal(await opened, false);
    const steps = understood(client.bytes);
    assert.deepEqual(
      steps.flatMap((step) => (step.type === 'finish' ? [[step.choice, step.reason]] : [])),
      [
        [0, 'content_filter'],
        [1, 'content_filter'],
      ],
    );
    assert.doesNotMatch(client.bytes, /bad/);
    assert.ok(source.aborted);
    assert.equal(client.ended, 1);
    assert.equal(client.bytes.match(/\[DONE\]/g)?.length, 1);
  });

  it('is replaced in a part of its own', async () => {
    for (const dialect of [dialects.chat, dialects.messages, dialects.responses]) {
      const { source, client, opened } = windows(deny(/bad/, 'Not here.'), {}, { dialect });
      source.push(wireOf(answer('This is bad.'), dialect));
      assert.equal(await opened, false);
      const steps = understood(client.bytes, dialect);
      assert.equal(textOf(steps), 'Not here.');
      assert.equal(steps.find(({ type }) => type === 'finish' || type === 'fault')?.type, 'finish');
      assert.doesNotMatch(client.bytes, /1000000/);
    }
  });
});

const saysSomething = ({ fragments }: Reading): boolean => fragments.some(({ text }) => text !== '');

describe('a stream without text', () => {
  it('that is empty ends as the format says', async () => {
    const { source, client, opened } = windows(pass);
    source.push(wireOf([start, finish(), end]));
    source.end();
    assert.equal(await opened, false);
    assert.match(client.bytes, /\[DONE\]/);
  });

  it('is looked at once before it ends, and can still be denied as a whole', async () => {
    const cutOff: Delta = { type: 'finish', choice: 0, reason: 'length' };
    const silent: readonly (readonly Delta[])[] = [
      [start, finish(), end],
      [start, text(''), finish(), end],
      [start, { type: 'tool-call', choice: 0, block: 0, id: 'call_1', name: 'send' }, cutOff, end],
    ];
    for (const deltas of silent) {
      const { source, client, window, opened } = windows((reading) => ({ ...pass(), denied: !saysSomething(reading) }));
      source.push(wireOf(deltas));
      source.end();
      assert.equal(await opened, true);
      assert.equal(client.bytes, '');
      assert.ok(window.looks.haveBegun);
    }
  });

  it('is passed on unread where it failed, or answers with something else than text', async () => {
    const failure: Delta = { type: 'fault', fault: { status: 500, message: 'Something broke.' } };
    const sound: Delta = { type: 'audio', choice: 0, audio: { id: 'audio_1', data: 'AAAA' } };
    for (const [deltas, told] of [
      [[start, failure], 'Something broke.'],
      [[start, sound, finish(), end], 'AAAA'],
    ] as const) {
      const { source, client, opened } = windows((reading) => ({ ...pass(), denied: !saysSomething(reading) }));
      source.push(wireOf(deltas));
      source.end();
      assert.equal(await opened, false);
      assert.ok(client.bytes.includes(told));
    }
  });

  it('in its first answer is not denied for it when another one speaks', async () => {
    const { source, client, opened } = windows((reading) => ({ ...pass(), denied: !saysSomething(reading) }));
    source.push(wireOf([start, text(''), finish(), text('Hello.', 1), finish(1), end]));
    source.end();
    assert.equal(await opened, false);
    assert.equal(textOf(understood(client.bytes), 'text', 1), 'Hello.');
  });

  it('that says nothing at all ends with an error', async () => {
    const { source, client, opened } = windows(pass);
    source.end();
    assert.equal(await opened, false);
    assert.equal(understood(client.bytes).at(-1)?.type, 'fault');
    assert.equal(client.ended, 1);
  });

  it('is kept alive by its comments', () => {
    const { source, client } = windows(pass);
    source.push(': keep-alive\n\n');
    assert.equal(client.bytes, ': \n\n');
  });

  it('is kept alive by the events of its format that say nothing', () => {
    const { source, client } = windows(pass, {}, { dialect: dialects.messages });
    source.push('event: ping\ndata: {"type": "ping"}\n\n');
    assert.equal(client.bytes, ': \n\n');
  });
});

describe('a stream that breaks', () => {
  it('has what is held looked at before the error goes out', () => {
    const { source, client } = windows(mask(/jane/g));
    const fault: Delta = { type: 'fault', fault: { status: 500, message: 'Something broke.' } };
    source.push(wireOf([start, text('It was jane'), fault]));
    source.end();
    const steps = understood(client.bytes);
    assert.equal(textOf(steps), 'It was [X]');
    assert.equal(steps.at(-1)?.type, 'fault');
    assert.equal(client.ended, 1);
  });

  it('is given up when its bytes are no events', () => {
    const { source, client } = windows(pass);
    source.push(chunk('Hello '));
    source.push(`data: ${'x'.repeat(17 * 1024 * 1024)}`);
    assert.ok(source.aborted);
    assert.equal(understood(client.bytes).at(-1)?.type, 'fault');
    assert.equal(client.ended, 1);
  });
});
