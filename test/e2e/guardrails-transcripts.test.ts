import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { guarded, without } from '../plugins/guardrails/guarded.ts';
import { type Act, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const mask = { 'default.regexReplace': { rule: 'jane@\\S+', redactText: '[X]' } };
const event = (fields: JsonObject) => `data: ${JSON.stringify(fields)}\n\n`;

async function heard(t: TestContext, act: Act, guard: JsonObject = mask) {
  const peer = await startPeer(t);
  peer.next(act);
  const { url } = await guarded(t);
  const form = new FormData();
  form.set('model', 'm');
  form.set('file', new Blob(['sound']), 'a.wav');
  const reply = await fetch(`${url}/v1/audio/transcriptions`, {
    method: 'POST',
    body: form,
    headers: { 'x-gw-config': JSON.stringify(target(peer, { output_guardrails: [guard] })) },
  });
  return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
}

describe('a transcript that is no JSON', () => {
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:02.000\nAsk jane@example.org now\n';
  for (const type of ['text/vtt', 'text/plain; charset=utf-8']) {
    it(`of ${type} goes out with the edits made`, async (t) => {
      const reply = await heard(t, { body: vtt, headers: { 'content-type': type } });
      assert.deepEqual(reply, { status: 200, type, text: vtt.replace('jane@example.org', '[X]') });
    });

    it(`of ${type} is denied for what it says`, async (t) => {
      const act = { body: vtt, headers: { 'content-type': type } };
      assert.equal((await heard(t, act, { ...without('Ask'), deny: true })).status, 446);
    });
  }

  it('is denied where it is no text', async (t) => {
    const act = { body: new Uint8Array([0xff, 0xfe]), headers: { 'content-type': 'text/plain' } };
    assert.equal((await heard(t, act, { ...mask, deny: true })).status, 446);
  });
});

describe('a transcript in UTF-16', () => {
  const saying: Readonly<Record<string, string>> = {
    'application/json': '{"text":"Ask jane"}',
    'text/plain': 'Ask jane',
    // Each of these is two letters of ASCII as well.
    'text/plain; charset=utf-16': '\u4142\u4344',
    'text/event-stream': event({ type: 'transcript.text.delta', delta: 'Ask jane' }),
  };
  for (const [type, said] of Object.entries(saying)) {
    for (const [form, body] of [
      ['without a mark', Buffer.from(said, 'utf16le')],
      ['in the other order', Buffer.from(said, 'utf16le').swap16()],
      ['with a mark', Buffer.from(`\ufeff${said}`, 'utf16le')],
    ] as const) {
      it(`${form} is denied, for nobody reads it: ${type}`, async (t) => {
        const act = { body: new Uint8Array(body), headers: { 'content-type': type } };
        assert.equal((await heard(t, act, { ...without('other'), deny: true })).status, 446);
      });
    }
  }
});

describe('a transcript that is streamed', () => {
  const headers = { 'content-type': 'text/event-stream' };
  const said = ['Ask ja', 'ne@exam', 'ple.org now'];
  const events = [
    ...said.map((delta) => event({ type: 'transcript.text.delta', delta, logprobs: [{ token: delta }] })),
    event({ type: 'transcript.text.done', text: said.join(''), usage: { total_tokens: 3 } }),
  ];

  it('goes out with the edits made, however it was cut', async (t) => {
    const { status, text } = await heard(t, { events, headers });
    assert.equal(status, 200);
    assert.doesNotMatch(text, /jane|ne@exam|ple\.org/);
    const told = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
    assert.deepEqual(told, [
      { type: 'transcript.text.delta', delta: 'Ask [X] now' },
      { type: 'transcript.text.done', text: 'Ask [X] now', usage: { total_tokens: 3 } },
    ]);
  });

  it('goes out with the edits made in its segments', async (t) => {
    const segment = event({ type: 'transcript.text.segment', id: 's', text: 'by jane@example.org', speaker: 'A' });
    const { text } = await heard(t, { events: [segment, ...events], headers });
    assert.doesNotMatch(text, /jane/);
    assert.match(text, /"speaker":"A","text":"by \[X\]"/);
  });

  it('is denied for what it says, and passes byte for byte where nothing is found', async (t) => {
    assert.equal((await heard(t, { events, headers }, { ...without('Ask'), deny: true })).status, 446);
    const { status, text } = await heard(t, { events, headers }, { ...without('other'), deny: true });
    assert.deepEqual([status, text], [200, events.join('')]);
  });

  it('that breaks off is told as that', async (t) => {
    const { status, text } = await heard(t, { events, headers, upTo: 2, ending: 'cut' });
    assert.equal(status, 502);
    assert.doesNotMatch(text, /jane|Ask/);
  });

  it('of events that nobody knows is denied where a guardrail denies', async (t) => {
    const unknown = [event({ type: 'transcript.word', word: 'Ask' })];
    assert.equal((await heard(t, { events: unknown, headers }, { ...without('x'), deny: true })).status, 446);
  });
});
