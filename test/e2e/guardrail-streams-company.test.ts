import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { guarded, without } from '../plugins/guardrails/guarded.ts';
import { hooksOf, idsIn, requests, resultsIn } from '../plugins/guardrails-stream/readers.ts';
import { helloed, lenient, listening, masking, serving, window } from '../plugins/guardrails-stream/serving.ts';
import { answer, start, text, textOf, understood, wireOf } from '../plugins/guardrails-stream/windows.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';
import { clientGone } from './client-gone.ts';

noUnhandledRejections();

describe('several guardrails on a stream', () => {
  it('in windows make all their edits', async (t) => {
    const { asked } = await serving(
      t,
      answer('My name is Jane ', 'and my number is 555-1234, ', 'so call me any time.'),
    );
    const guards = [masking('Jane', 'N.'), masking('\\d{3}-\\d{4}', '###'), masking('Jane and', 'overlap')];
    const { text: raw } = await asked(guards.map((guard) => ({ ...guard, ...window })));
    const said = textOf(understood(raw));
    assert.equal(said, 'My name is overlap my number is ###, so call me any time.');
  });

  it('in windows and after the stream tell their results together; the later ones see what went out', async (t) => {
    const { asked } = await serving(t, answer('The word is swordfish, and ', 'that is all that there is.'));
    const guards = [
      { id: 'early', ...masking('swordfish', '*****'), ...window },
      { id: 'late', ...without('swordfish') },
    ];
    const { text: raw } = await asked(guards);
    const found = resultsIn(raw);
    assert.equal(found.length, 1);
    assert.deepEqual(idsIn(found[0]?.results), ['early', 'late']);
    assert.deepEqual(
      hooksOf(found[0]?.results).map(({ verdict }) => verdict),
      [true, true],
    );
  });

  it('in shadow change nothing, and tell what they would have said', async (t) => {
    const said = 'The word is swordfish, and that is all that there is.';
    const { asked, records } = await serving(t, answer(said));
    const guards = [
      { ...masking('swordfish', '*****'), mode: 'shadow', ...window },
      { ...without('swordfish'), deny: true, mode: 'shadow', ...window },
    ];
    const { status, text: raw } = await asked(guards);
    assert.deepEqual([status, textOf(understood(raw))], [200, said]);
    assert.deepEqual(
      hooksOf(resultsIn(raw)[0]?.results).map(({ mode, verdict }) => [mode, verdict]),
      [
        ['shadow', true],
        ['shadow', false],
      ],
    );
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ shadow, denied, transformed }) => [shadow, denied, transformed]),
      [
        [true, false, false],
        [true, false, false],
      ],
    );
  });

  it('that are async show in the record alone', async (t) => {
    const { asked, records } = await serving(t, answer('The word is swordfish.'));
    const { status, text: raw } = await asked([{ id: 'quiet', ...without('swordfish'), async: true }]);
    assert.equal(status, 200);
    assert.doesNotMatch(raw, /hook_results/);
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ id, async, verdict }) => [id, async, verdict]),
      [['quiet', true, false]],
    );
  });
});

describe('a client who leaves in the middle', () => {
  for (const mode of ['after', 'window'] as const) {
    it(`gives up the provider, and what was said is judged all the same: ${mode}`, async (t) => {
      const peer = await startPeer(t);
      const first = 'The word is swordfish, and it goes on like this. ';
      peer.always({ events: [wireOf([start, text(first)])], ending: 'stall' });
      const { url, records } = await guarded(t);
      const guards = [
        { id: 'judge', ...without('swordfish'), ...(mode === 'window' ? window : {}) },
        { id: 'async', ...without('swordfish'), async: true },
      ];
      const leave = new AbortController();
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gw-config': JSON.stringify(target(peer, { output_guardrails: guards })),
        },
        body: JSON.stringify(requests.chat.body),
        signal: leave.signal,
      });
      const reader = response.body?.getReader();
      let seen = '';
      while (!seen.includes('swordfish')) seen += Buffer.from((await reader?.read())?.value ?? []).toString();
      leave.abort();
      await peer.requests[0]?.abandoned;
      const [record] = await records(1);
      assert.equal(record?.status, 499);
      assert.deepEqual(
        record?.guardrails?.map(({ id, verdict }) => [id, verdict]),
        [
          ['judge', false],
          ['async', false],
        ],
      );
    });
  }
});

describe('a guardrail that asks a server', () => {
  /** Says no to what holds the word. */
  async function judge(t: TestContext) {
    const asked: string[] = [];
    const server = createServer(async (incoming, response) => {
      let body = '';
      for await (const chunk of incoming) body += String(chunk);
      asked.push(body);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ verdict: !body.includes('swordfish') }));
    });
    return { url: `${await listening(t, server)}/`, asked };
  }

  it('is asked about each window before it goes out', async (t) => {
    const { url, asked: questions } = await judge(t);
    const deltas = answer(
      'A long and friendly text ',
      'that goes on for a while, ',
      'and longer than the windows are.',
    );
    const { asked } = await serving(t, deltas);
    const { status, text: raw } = await asked([{ webhook: { webhookURL: url }, deny: true, ...window }]);
    assert.equal(status, 200, raw);
    assert.equal(
      textOf(understood(raw)),
      'A long and friendly text that goes on for a while, and longer than the windows are.',
    );
    assert.equal(hooksOf(resultsIn(raw)[0]?.results)[0]?.verdict, true);
    assert.ok(questions.length > 1);
  });

  it('is asked once after the stream, and its results wait for it', async (t) => {
    const { url, asked: questions } = await judge(t);
    const { asked } = await serving(t, answer('A long and friendly text ', 'that goes on for a while.'));
    const { text: raw } = await asked([{ id: 'asks', webhook: { webhookURL: url } }]);
    assert.deepEqual(idsIn(resultsIn(raw)[0]?.results), ['asks']);
    assert.equal(questions.length, 1);
  });

  it('that cannot be reached denies the first window where it denies', async (t) => {
    const { asked } = await serving(t, answer('A text.'));
    const { status } = await asked([{ webhook: { webhookURL: 'http://127.0.0.1:1/' }, deny: true, ...window }]);
    assert.equal(status, 446);
  });
});

describe('a guardrail that asks a server once the stream is over', () => {
  it('still gets its answer when the client leaves meanwhile', async (t) => {
    let answer = () => {};
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = createServer((incoming, response) => {
      incoming.resume();
      answer = () => response.end('{"verdict":true}');
      asked();
    });
    const webhookURL = `${await listening(t, server)}/`;
    const peer = await startPeer(t);
    peer.always({ events: [wireOf(helloed)] });
    const { url, records } = await guarded(t);
    const leave = new AbortController();
    const gone = clientGone(url);
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-config': JSON.stringify(target(peer, { output_guardrails: [{ webhook: { webhookURL } }] })),
        ...lenient.headers,
      },
      body: JSON.stringify(requests.chat.body),
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    await isAsked;
    leave.abort();
    await gone;
    answer();
    const [record] = await records(1);
    const [check] = record?.guardrails?.[0]?.checks ?? [];
    assert.deepEqual([record?.status, check?.verdict, check?.error], [499, true, undefined]);
  });
});

describe('a slow client', () => {
  it('makes the provider wait', async (t) => {
    const count = 8000;
    const event = `${wireOf([start, text('word '.repeat(2000))]).split('\n\n')[1] ?? ''}\n\n`;
    let written = 0;
    const server = createServer(async (incoming, response) => {
      incoming.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(wireOf([start, text('First. ')]));
      for (; written < count && !response.destroyed; written += 1)
        if (!response.write(event)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      response.end();
    });
    const origin = await listening(t, server);
    const { url } = await guarded(t);
    const config = target({ origin }, { output_guardrails: [{ ...without('halibut'), ...window }] });
    const leave = new AbortController();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-config': JSON.stringify(config) },
      body: JSON.stringify(requests.chat.body),
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    for (let before = -1; before !== written; ) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    assert.ok(written < count / 2, `${written} of ${count} events were taken from the provider`);
    leave.abort();
  });
});
