import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { asObject, type Delta, dialects, parseJson } from 'portcullis/sdk';
import { guarded, without } from '../plugins/guardrails/guarded.ts';
import { requests, resultsIn, words } from '../plugins/guardrails-stream/readers.ts';
import { clients, lenient, masking, serving, targetFor, usage, window } from '../plugins/guardrails-stream/serving.ts';
import { end, finish, start, text, textOf, understood, wireOf } from '../plugins/guardrails-stream/windows.ts';
import { eventsOf, streamError } from '../support/client-dialects.ts';
import { startPeer } from '../support/peer.ts';
import { recordedReply, recordedStream } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

describe('the tokens of a guarded stream', () => {
  for (const client of clients) {
    for (const guard of [without('halibut'), { ...without('halibut'), ...window }]) {
      it(`are in the record: ${client} client, ${guard.stream_mode ?? 'after'}`, async (t) => {
        const [first, ...rest] = [start, text('Hello to you, and to you too.'), finish()];
        const { asked, records } = await serving(t, [first ?? start, ...rest, usage, end], client);
        const body = { ...requests[client].body, stream_options: { include_usage: true } };
        await asked([guard], client === 'chat' || client === 'completions' ? body : requests[client].body);
        const [record] = await records(1);
        assert.deepEqual([record?.usage?.input, record?.usage?.output], [11, 22]);
        assert.deepEqual([record?.status, record?.stream], [200, true]);
      });
    }
  }

  it('stay in the stream where the config asks for them', async (t) => {
    const peer = await startPeer(t);
    peer.always({ events: [wireOf([start, text('Hello.'), finish(), usage, end])] });
    const { ask } = await guarded(t);
    const config = target(peer, {
      override_params: { stream_options: { include_usage: true } },
      output_guardrails: [{ ...without('halibut'), ...window }],
    });
    const { text: raw } = await ask(config, requests.chat.body);
    assert.match(raw, /"completion_tokens":22/);
  });

  it('stay in the stream of a client who asked for them, once', async (t) => {
    const { asked } = await serving(t, [start, text('Hello.'), finish(), usage, end]);
    const body = { ...requests.chat.body, stream_options: { include_usage: true } };
    const { text: raw } = await asked([{ ...without('halibut'), ...window }], body);
    const counted = eventsOf(raw).filter((event) => typeof event !== 'string' && asObject(event.usage) !== undefined);
    assert.equal(counted.length, 1);
  });
});

describe('a secret', () => {
  const jwt = `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(JSON.stringify({ roles: 'admin '.repeat(400) })).toString('base64url')}.c2ln`;
  it('that is longer than a window does not come out, and is denied', async (t) => {
    const pieces = `Here it is: ${jwt}, and so on.`.match(/.{1,20}/g) ?? [];
    const { asked } = await serving(t, [start, ...pieces.map((piece) => text(piece)), finish(), end]);
    const windowed = { stream_mode: 'window', stream_window: { tokens: 64 } };
    const masked = await asked([{ 'pii.redact': {}, ...windowed }]);
    assert.equal(textOf(understood(masked.text)), 'Here it is: [SECRET], and so on.');
    const denied = await asked([{ 'pii.detect': {}, deny: true, ...windowed }]);
    assert.equal(denied.status, 446);
  });

  it('that begins before a long pause and ends behind it does not come out, and is denied', async (t) => {
    const brief = { stream_mode: 'window', stream_window: { ms: 50 } };
    for (const [guard, said] of [
      [{ 'pii.redact': {}, ...brief }, 'The card is 4111 1111 [CREDIT_CARD] ok'],
      [{ 'pii.detect': {}, deny: true, ...brief }, 'The card is 4111 1111 '],
    ] as const) {
      const peer = await startPeer(t);
      peer.always(() => ({
        events: [wireOf([start, text('The card is 4111 1111 ')])],
        ending: 'stall',
        release: setTimeout(600),
        rest: [wireOf([text('1111 1111 ok'), finish(), end])],
      }));
      const { ask } = await guarded(t);
      const { text: raw } = await ask(target(peer, { output_guardrails: [guard] }), requests.chat.body);
      assert.equal(textOf(understood(raw)), said);
    }
  });

  it('that is longer than a window is masked to its end, also by an imposed guardrail', async (t) => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const pieces = `Key:\n${privateKey}\nKeep it safe.`.match(/[\s\S]{1,5}/g) ?? [];
    const peer = await startPeer(t);
    peer.always({ events: [wireOf([start, ...pieces.map((piece) => text(piece)), finish(), end])] });
    const imposed = await guarded(t, {
      guardrails: { keys: { checks: [{ id: 'pii.redact', parameters: {} }], actions: { stream_mode: 'window' } } },
      defaultGuardrails: { output: ['keys'] },
    });
    const own = { output_guardrails: [{ 'pii.redact': {}, stream_mode: 'window' }] };
    const asked = await (await guarded(t)).ask(target(peer, own), requests.chat.body);
    const both = await imposed.ask(target(peer, own), requests.chat.body);
    const alone = await imposed.ask(target(peer), requests.chat.body);
    for (const { text: raw } of [asked, both, alone])
      assert.equal(textOf(understood(raw)), 'Key:\n[SECRET]\n\nKeep it safe.');
  });
});

describe('a provider', () => {
  const guards = [{ id: 'guard', ...masking('swordfish', '*****'), ...window }];

  it('that answers with a whole reply is looked at in windows all the same', async (t) => {
    for (const [client, wire] of [
      ['chat', 'chat'],
      ['messages', 'messages'],
    ] as const) {
      const peer = await startPeer(t);
      const whole = recordedReply(wire, 'text');
      peer.always({ body: whole });
      const { ask } = await guarded(t);
      const config = targetFor(client, peer, { output_guardrails: [{ ...masking('\\w+', '_'), ...window }] });
      const reply = await ask(config, requests[client].body, { path: requests[client].path, ...lenient });
      assert.match(reply.headers.get('content-type') ?? '', /^text\/event-stream/);
      assert.match(textOf(understood(reply.text, dialects[wire])), /^[^a-zA-Z]+$/);
      assert.equal(resultsIn(reply.text).length, 1);
    }
  });

  it('that breaks in the middle has what is held looked at, and its error told', async (t) => {
    for (const client of clients) {
      const fault: Delta = { type: 'fault', fault: { status: 500, message: 'Something broke.' } };
      const { asked } = await serving(t, [start, text('All good. The word is swordfish'), fault], client);
      const { status, text: raw } = await asked(guards);
      assert.equal(status, 200);
      assert.equal(textOf(understood(raw, dialects[client])), 'All good. The word is *****');
      assert.match(raw, /Something broke\./);
      assert.equal(raw.match(words[client].last)?.length ?? 0, client === 'responses' ? 1 : 0);
    }
  });

  it('that closes the connection in the middle has what is held looked at', async (t) => {
    for (const ending of ['cut', 'end'] as const) {
      const peer = await startPeer(t);
      peer.always({ events: [wireOf([start, text('All good. The word is swordfish')])], ending });
      const { ask } = await guarded(t);
      const { text: raw } = await ask(target(peer, { output_guardrails: guards }), requests.chat.body);
      assert.doesNotMatch(raw, /swordfish/);
      assert.equal(textOf(understood(raw)), 'All good. The word is *****');
      assert.ok(streamError('chat', raw) !== undefined, raw);
    }
  });

  it('that forgets its last event gets one, with the results before it', async (t) => {
    const peer = await startPeer(t);
    peer.always({ events: recordedStream('chat', 'text').slice(0, -1) });
    const { ask } = await guarded(t);
    for (const guard of [without('halibut'), { ...without('halibut'), ...window }]) {
      const { text: raw } = await ask(target(peer, { output_guardrails: [guard] }), requests.chat.body, lenient);
      assert.deepEqual(
        resultsIn(raw).map(({ fromEnd }) => fromEnd),
        [1],
      );
      assert.equal(raw.match(words.chat.last)?.length, 1);
    }
  });
});

describe('several answers at once', () => {
  it('are masked each for itself, and each is finished', async (t) => {
    const deltas = [
      start,
      ...['The first ', 'answer is ', 'swordfish, ', 'no less.'].flatMap((piece, index) => [
        text(piece, 0),
        text(['And a ', 'sword', 'fish is ', 'the second.'][index] ?? '', 1),
      ]),
      finish(0),
      finish(1),
      end,
    ];
    const { asked } = await serving(t, deltas);
    const { text: raw } = await asked([{ ...masking('swordfish', '*****'), ...window }], {
      ...requests.chat.body,
      n: 2,
    });
    const steps = understood(raw);
    assert.equal(textOf(steps, 'text', 0), 'The first answer is *****, no less.');
    assert.equal(textOf(steps, 'text', 1), 'And a ***** is the second.');
    assert.deepEqual(steps.flatMap((step) => (step.type === 'finish' ? [step.choice] : [])).toSorted(), [0, 1]);
  });
});

describe('calls of tools in windows', () => {
  for (const client of ['chat', 'messages', 'responses'] as const) {
    it(`keep JSON arguments, masked, for a ${client} client`, async (t) => {
      const deltas: readonly Delta[] = [
        start,
        text('I send it now.'),
        { type: 'tool-call', choice: 0, block: 1, id: 'call_1', name: 'send' },
        ...['{"to":"jane', '@example', '.org","text":"a \\"quoted', '\\" word"}'].map(
          (piece): Delta => ({ type: 'tool-arguments', choice: 0, block: 1, text: piece }),
        ),
        { type: 'finish', choice: 0, reason: 'tool_calls' },
        end,
      ];
      const { asked } = await serving(t, deltas, client);
      const { text: raw } = await asked([{ ...masking('[a-z]+@[a-z.]+', 'no "one"'), ...window }]);
      const steps = understood(raw, dialects[client]);
      assert.deepEqual(parseJson(textOf(steps, 'tool-arguments')), { to: 'no "one"', text: 'a "quoted" word' });
      assert.doesNotMatch(raw, /jane|@example/);
      assert.equal(steps.find((step) => step.type === 'finish')?.type, 'finish');
    });
  }
});
