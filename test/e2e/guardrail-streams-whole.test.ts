import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { guarded, without } from '../plugins/guardrails/guarded.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const chunk = (delta: object, finish: string | null = null, index = 0) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;
/** Choices that are told by turns, one of which may be over sooner. */
function answers(...texts: readonly string[]): readonly string[] {
  const pieces = texts.map((text) => text.match(/.{1,20}/gs) ?? []);
  const most = Math.max(...pieces.map(({ length }) => length));
  const told = Array.from({ length: most }, (_, at) =>
    pieces.flatMap((own, index) => [
      ...(own[at] === undefined ? [] : [chunk({ content: own[at] }, null, index)]),
      ...(own.length === at + 1 ? [chunk({}, 'stop', index)] : []),
    ]),
  );
  return [...texts.map((_, index) => chunk({ role: 'assistant' }, null, index)), ...told.flat(), 'data: [DONE]\n\n'];
}

const words = 'word '.repeat(1000);
const object = JSON.stringify({ note: 'x '.repeat(1000), b: 1 });
const code = `${words}\n\`\`\`sql\nselect 1\n\`\`\`\n${words}`;
const checks: readonly (readonly [check: string, parameters: JsonObject, passes: string, fails: string])[] = [
  ['default.wordCount', { maxWords: 600 }, 'word '.repeat(500), words],
  ['default.wordCount', { minWords: 600 }, words, 'word '.repeat(500)],
  ['default.sentenceCount', { maxSentences: 50 }, 'One more. '.repeat(50), 'One more. '.repeat(51)],
  ['default.characterCount', { minCharacters: 5000 }, words, words.slice(1)],
  ['default.endsWith', { suffix: 'end' }, `${words}end`, words],
  ['default.jsonSchema', { schema: { type: 'object', required: ['note', 'b'] } }, object, object.replace('"b"', '"c"')],
  ['default.jsonKeys', { keys: ['note', 'b'], operator: 'all' }, object, object.replace('"b"', '"c"')],
  ['default.contains', { words: ['first', 'last'], operator: 'all' }, `first ${words}last`, `first ${words}`],
  ['default.contains', { words: ['last'], operator: 'any' }, `first ${words}last`, words],
  ['default.regexMatch', { rule: 'first.*last' }, `first ${words}last`, words],
  ['default.containsCode', { format: 'SQL' }, code, words],
  ['default.alllowercase', { not: true }, `${words}X`, words],
  ['pii.detect', { not: true }, `${words}ann@example.com`, words],
];
const bodies: Readonly<Record<string, JsonObject>> = {
  '/v1/chat/completions': { model: 'm', messages: [{ role: 'user', content: 'x' }] },
  '/v1/messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  '/v1/responses': { model: 'm', input: 'x' },
};

async function streams(t: TestContext) {
  const peer = await startPeer(t);
  const gateway = await guarded(t);
  return async (path: string, guard: JsonObject, ...texts: readonly string[]) => {
    peer.next({ events: answers(...texts) });
    // It speaks the format of chats alone: the others are translated.
    const more = { provider: 'deepseek', output_guardrails: [{ deny: true, stream_mode: 'window', ...guard }] };
    const config = target(peer, more);
    return gateway.post(path, { ...bodies[path], stream: true }, { 'x-gw-config': JSON.stringify(config) });
  };
}

describe('in windows, a guardrail that judges replies as a whole', () => {
  for (const [check, parameters, passes, fails] of checks) {
    it(`lets out what ${check} with ${JSON.stringify(parameters).slice(0, 60)} passes, and denies what it fails`, async (t) => {
      const ask = await streams(t);
      for (const path of Object.keys(bodies)) {
        const passed = await ask(path, { [check]: parameters }, passes);
        assert.equal(passed.status, 200, passed.text.slice(0, 300));
        assert.doesNotMatch(passed.text, /hooks_failed/);
        const denied = await ask(path, { [check]: parameters }, fails);
        assert.deepEqual([denied.status, /hooks_failed/.test(denied.text)], [446, true], path);
      }
    });
  }

  it('sees every choice to its end, whichever is over first', async (t) => {
    const ask = await streams(t);
    const guard = { 'default.contains': { words: ['last'], operator: 'any' } };
    const { status, text } = await ask('/v1/chat/completions', guard, 'last', `${words}last`);
    assert.deepEqual([status, text.match(/"finish_reason":"stop"/g)?.length], [200, 2]);
  });

  it('masks and denies with its other checks as it would in pieces', async (t) => {
    const ask = await streams(t);
    const guard = { 'default.wordCount': { maxWords: 2000 }, 'pii.detect': { redact: true } };
    const { status, text } = await ask('/v1/chat/completions', guard, `${words}ann@example.com ${words.slice(500)}`);
    assert.equal(status, 200);
    assert.match(text, /\[EMAIL_ADDRESS\]/);
    assert.doesNotMatch(text, /example/);
  });

  it('keeps nobody waiting in shadow, and tells afterwards what it would have said', async (t) => {
    const peer = await startPeer(t);
    const gateway = await guarded(t);
    const events = answers(words);
    const release = Promise.withResolvers<void>();
    peer.next({ events: events.slice(0, -2), ending: 'stall', release: release.promise, rest: events.slice(-2) });
    const shadow = { 'default.wordCount': { maxWords: 600 }, deny: true, mode: 'shadow', stream_mode: 'window' };
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-strict-open-ai-compliance': 'false',
        'x-gw-config': JSON.stringify(target(peer, { output_guardrails: [shadow] })),
      },
      body: JSON.stringify({ ...bodies['/v1/chat/completions'], stream: true }),
    });
    const reader = response.body?.getReader();
    assert.ok((await reader?.read())?.value !== undefined);
    release.resolve();
    let rest = '';
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
      rest += Buffer.from(read.value).toString();
    assert.match(rest, /1000 words; allowed up to 600/);
  });

  it('waits for the answer behind what is thought first', async (t) => {
    const peer = await startPeer(t);
    const gateway = await guarded(t);
    const guard = { 'default.notNull': {}, deny: true, stream_mode: 'window' };
    const config = {
      'x-gw-config': JSON.stringify(target(peer, { provider: 'deepseek', output_guardrails: [guard] })),
    };
    const thought = answers('').with(0, chunk({ role: 'assistant', reasoning_content: 'I think. '.repeat(100) }));
    for (const [path, body] of Object.entries(bodies)) {
      peer.next(
        { events: [thought[0] ?? '', ...answers('Hello.')] },
        { events: [...thought.slice(0, -1), ...answers('')] },
      );
      const answered = await gateway.post(path, { ...body, stream: true }, config);
      assert.deepEqual([answered.status, answered.text.includes('Hello.')], [200, true], path);
      const silent = await gateway.post(path, { ...body, stream: true }, config);
      assert.equal(silent.status, 446, path);
    }
  });

  it('does not hold what others look at in pieces', async (t) => {
    const ask = await streams(t);
    const { status, text } = await ask('/v1/chat/completions', without('bad'), `${words}bad`);
    assert.deepEqual(
      [status, text.includes('word'), text.includes('bad'), text.includes('content_filter')],
      [200, true, false, true],
      text.slice(-300),
    );
  });
});
