import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects, type JsonObject } from 'portcullis/sdk';
import { guarded } from '../plugins/guardrails/guarded.ts';
import { answer, understood, wireOf } from '../plugins/guardrails-stream/windows.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const windowed = (tokens: number, overlap: number): JsonObject => ({
  stream_mode: 'window',
  stream_window: { tokens, ms: 10_000, overlap_tokens: overlap },
});
const own = (rule: string, redactText: string, actions: JsonObject = windowed(8, 0)): JsonObject => ({
  'default.regexReplace': { rule, redactText },
  ...actions,
});
const guardrails = {
  mask: {
    checks: [{ id: 'default.regexReplace', parameters: { rule: 'secret\\s?123', redactText: '***' } }],
    actions: windowed(32, 8),
  },
  words: {
    checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['badword'] } }],
    actions: { deny: true, ...windowed(32, 8) },
  },
};

/** What the client gets of a streamed answer, and how its status and its end are. */
async function streamed(
  t: Parameters<typeof guarded>[0],
  said: string,
  { name, guards, cut = 7 }: { readonly name: string; readonly guards: readonly JsonObject[]; readonly cut?: number },
) {
  const peer = await startPeer(t);
  const pieces = said.match(new RegExp(`.{1,${cut}}`, 'gs')) ?? [];
  peer.always({ events: [wireOf(answer(...pieces), dialects.chat)] });
  const { ask } = await guarded(t, { guardrails, defaultGuardrails: { output: [name] } });
  const reply = await ask(target(peer, { output_guardrails: [...guards] }), {
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'x' }],
  });
  const deltas = reply.status === 200 ? understood(reply.text) : [];
  const text = deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : [])).join('');
  const reason = deltas.find((delta) => delta.type === 'finish')?.reason;
  return { status: reply.status, text, reason };
}

const filler = 'and so on it goes for quite a while, ';

describe('a default in the windows of a stream', () => {
  const tricks: Readonly<Record<string, readonly JsonObject[]>> = {
    'says it in other words': [own('secret123', 'S-ecret-123')],
    'says more than is masked': [own('is secret123', 'is S-ecret-123')],
    'changes each character': [...'secr123'].map((letter) => own(letter, `${letter}.`)),
  };
  for (const [what, guards] of Object.entries(tricks)) {
    it(`leaves nothing to a caller who ${what}`, async (t) => {
      const { text } = await streamed(t, `${filler}it is secret123 ok. ${filler}`, { name: 'mask', guards });
      const letters = text.replaceAll(/[^a-z0-9*]/gi, '').toLowerCase();
      assert.ok(letters.includes('***') && !letters.includes('secret123'), text);
    });
  }

  it('masks what the caller puts together', async (t) => {
    const { text } = await streamed(t, `${filler}it is sec§ret123 ok. ${filler}`, {
      name: 'mask',
      guards: [own('§', '')],
    });
    assert.equal(text, `${filler}it is *** ok. ${filler}`);
  });

  it('ends the stream where the caller puts together what it denies', async (t) => {
    const { text, reason } = await streamed(t, `${filler.repeat(4)}bad§word ${filler}`, {
      name: 'words',
      guards: [own('§', '')],
    });
    assert.ok(!text.includes('badword'), text);
    assert.equal(reason, 'content_filter');
  });

  it('looks behind what the client has got already, however much the caller takes away between', async (t) => {
    const { text, reason } = await streamed(t, `so bad${' §'.repeat(300)} word. ${filler}`, {
      name: 'words',
      guards: [own(' §', ''), own(' word', 'word')],
      cut: 20,
    });
    assert.ok(!text.replaceAll(' ', '').includes('badword'), text);
    assert.equal(reason, 'content_filter');
  });

  it('keeps the edits of the caller that have nothing to do with it', async (t) => {
    const { text } = await streamed(t, `ada has secret123. ${filler}ada`, {
      name: 'mask',
      guards: [own('ada', '[X]')],
    });
    assert.equal(text, `[X] has ***. ${filler}[X]`);
  });

  it('sees as much at a time as it asks for, whatever windows a caller asks for', async (t) => {
    const { text } = await streamed(t, `${filler}the secret 123 ${filler}`, {
      name: 'mask',
      guards: [own('absent', 'x')],
      cut: 2,
    });
    assert.equal(text, `${filler}the *** ${filler}`);
  });
});
