import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects, type Delta, dialects, type JsonObject } from 'portcullis/sdk';
import { guarded, resultsOf, without } from '../plugins/guardrails/guarded.ts';
import {
  type ClientName,
  hooksOf,
  idsIn,
  readers,
  requests,
  resultsIn,
  words,
} from '../plugins/guardrails-stream/readers.ts';
import { answer, start, text, understood, wireOf } from '../plugins/guardrails-stream/windows.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { claude, indexOf, retriesOf, target } from '../support/routed.ts';

noUnhandledRejections();

const clients = Object.keys(readers) as ClientName[];
const window: JsonObject = { stream_mode: 'window', stream_window: { tokens: 8, ms: 10_000, overlap_tokens: 2 } };
const denying = (more: JsonObject = {}): JsonObject => ({ id: 'guard', ...without('swordfish'), deny: true, ...more });

const targetFor = (client: ClientName, peer: Peer, more: JsonObject): JsonObject =>
  client === 'messages' ? claude(peer, more) : target(peer, more);
const streamOf = (client: ClientName, deltas: readonly Delta[]) => ({ events: [wireOf(deltas, dialects[client])] });

const harmless = answer('A long and friendly answer ', 'in which there is ', 'nothing at all to mind.');
const atOnce = answer('The word is swordfish.');
/** A stream that goes on for ever behind what is denied. */
const endless = [start, text('A long and friendly answer at first, '), text('and then there is a swordfish in it.')];

describe('a stream that says nothing', () => {
  for (const client of clients) {
    it(`is 446 for a ${client} client where a guardrail asks for a text`, async (t) => {
      const peer = await startPeer(t);
      peer.always(streamOf(client, answer('')));
      const { ask } = await guarded(t);
      const { path, body } = requests[client];
      const guard = { 'default.notNull': {}, deny: true, ...window };
      const reply = await ask(targetFor(client, peer, { output_guardrails: [guard] }), body, { path });
      assert.equal(reply.status, 446, reply.text);
      assert.equal(resultsOf(reply, 'after')[0]?.verdict, false);
    });
  }
});

describe('a stream whose first window is denied', () => {
  for (const client of clients) {
    it(`is 446 as JSON for a ${client} client, and the provider is given up`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ ...streamOf(client, [start, text('The word is swordfish, and more of it. ')]), ending: 'stall' });
      const { ask } = await guarded(t);
      const { path, body } = requests[client];
      const reply = await ask(targetFor(client, peer, { output_guardrails: [denying(window)] }), body, { path });
      assert.equal(reply.status, 446, reply.text);
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
      const [hook] = resultsOf(reply, 'after');
      assert.deepEqual([hook?.id, hook?.verdict, hook?.deny], ['guard', false, true]);
      assert.deepEqual(hook?.stream, { mode: 'window', looks: 1 });
      await peer.requests[0]?.abandoned;
    });

    it(`is a stream of its own for a ${client} client when the denial is soft`, async (t) => {
      const peer = await startPeer(t);
      peer.always(streamOf(client, atOnce));
      const gateway = await guarded(t);
      const guard = { ...without('swordfish', { soft_deny_200: true }), deny: true, message: 'Not this.', ...window };
      const headers = {
        'x-gw-config': JSON.stringify(targetFor(client, peer, { output_guardrails: [guard] })),
      };
      for (const read of Object.values(readers[client])) {
        const { status, text: said, finish, raw } = await read({ gateway, headers });
        assert.deepEqual([status, said, finish], [200, 'Not this.', words[client].stop]);
        assert.equal(raw.match(words[client].last)?.length, 1);
      }
    });
  }

  const asks = {
    ...requests,
    cohere: { path: '/v2/chat', body: requests.chat.body },
    gemini: {
      path: '/v1beta/models/m:streamGenerateContent?alt=sse',
      body: { contents: [{ parts: [{ text: 'Say it.' }] }] },
    },
  };
  for (const client of [...clients, 'cohere', 'gemini'] as const) {
    it(`begins for a ${client} client as the provider began it when the denial is soft`, async (t) => {
      const peer = await startPeer(t);
      const spoken = client === 'cohere' || client === 'gemini' ? 'chat' : client;
      const began: Delta = { type: 'start', id: 'resp_own', model: 'm', created: 1_700_000_000 };
      peer.always(streamOf(spoken, [began, ...atOnce.slice(1)]));
      const { ask } = await guarded(t);
      const guard = { ...without('swordfish', { soft_deny_200: true }), deny: true, message: 'Not this.', ...window };
      const { path, body } = asks[client];
      const { text: raw } = await ask(targetFor(spoken, peer, { output_guardrails: [guard] }), body, { path });
      const [first] = understood(raw, dialects[client]);
      assert.ok(first?.type === 'start' && first.id === 'resp_own', raw);
    });
  }

  it('is tried again where 446 is retried', async (t) => {
    const peer = await startPeer(t);
    peer.next(streamOf('chat', atOnce), streamOf('chat', harmless));
    const { ask, records } = await guarded(t, {}, { sleep: async () => {} });
    const config = target(peer, {
      output_guardrails: [denying(window)],
      retry: { attempts: 2, on_status_codes: [446] },
    });
    const reply = await ask(config, requests.chat.body);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(retriesOf(reply), '1');
    assert.match(reply.text, /nothing/);
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ verdict, denied }) => [verdict, denied]),
      [
        [false, true],
        [true, false],
      ],
    );
  });

  it('falls back where 446 does', async (t) => {
    const peer = await startPeer(t);
    peer.next(streamOf('chat', atOnce), streamOf('chat', harmless));
    const { ask } = await guarded(t);
    const config = {
      strategy: { mode: 'fallback', on_status_codes: [446] },
      output_guardrails: [denying(window)],
      targets: [target(peer), target(peer)],
    };
    const reply = await ask(config, requests.chat.body);
    assert.deepEqual([reply.status, indexOf(reply)], [200, 'config.targets[1]'], reply.text);
    assert.match(reply.text, /nothing/);
  });
});

describe('a stream whose request is denied softly', () => {
  for (const client of clients) {
    for (const strict of [true, false]) {
      it(`${strict ? 'tells nothing of it to a strict' : 'begins with the results for a lenient'} ${client} client`, async (t) => {
        const gateway = await guarded(t);
        const guard = { ...denying(), ...without('Say', { soft_deny_200: true }), message: 'Not this.' };
        const headers = {
          'x-gw-config': JSON.stringify({ provider: 'echo', input_guardrails: [guard] }),
          'x-gw-strict-compliance': String(strict),
        };
        for (const read of Object.values(readers[client])) {
          const { text: said, finish, raw } = await read({ gateway, headers });
          assert.deepEqual([said, finish], ['Not this.', words[client].stop]);
          const told = resultsIn(raw);
          assert.deepEqual(
            told.map(({ results }) => idsIn(results, 'before')),
            strict ? [] : [['guard']],
          );
        }
      });
    }
  }
});

describe('a stream that is denied later', () => {
  for (const client of clients) {
    it(`gives up the provider of a ${client} client, and the record says why`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ ...streamOf(client, endless), ending: 'stall' });
      const gateway = await guarded(t);
      const config = targetFor(client, peer, { output_guardrails: [denying(window)] });
      const [read] = Object.values(readers[client]);
      const seen = await read?.({ gateway, headers: { 'x-gw-config': JSON.stringify(config) } });
      assert.equal(seen?.status, 200);
      assert.equal(seen?.finish, words[client].denied);
      assert.match(seen?.text ?? '', /^A long and friendly answer/);
      await peer.requests[0]?.abandoned;
      const [record] = await gateway.records(1);
      const [report] = record?.guardrails ?? [];
      assert.deepEqual([report?.verdict, report?.denied, report?.phase], [false, true, 'afterRequest']);
      assert.equal(typeof report?.stream?.looks, 'number');
      assert.equal(record?.status, 200);
    });
  }

  it('is denied in spite of what the checks of other windows say', async (t) => {
    const peer = await startPeer(t);
    peer.always(streamOf('chat', [...endless, text(' And so on, and on, and on.')]));
    const { ask } = await guarded(t);
    const config = target(peer, {
      strict_open_ai_compliance: false,
      output_guardrails: [{ ...without('halibut'), ...window }, denying(window)],
    });
    const { text: raw } = await ask(config, requests.chat.body, { headers: { 'x-gw-strict-compliance': 'false' } });
    assert.deepEqual(
      hooksOf(resultsIn(raw)[0]?.results).map(({ verdict }) => verdict),
      [true, false],
    );
    assert.doesNotMatch(raw.replaceAll(/^data: .*hook_results.*$/gm, ''), /swordfish|And so on/);
  });
});

describe('the windows of a stream', () => {
  it('say in the results and in the record how often they were looked at, and what the first text waited', async (t) => {
    const peer = await startPeer(t);
    peer.always(streamOf('chat', harmless));
    const { ask, records } = await guarded(t, {}, { now: () => 1_700_000_000_000 });
    const config = target(peer, { output_guardrails: [{ id: 'guard', ...without('halibut'), ...window }] });
    const { text: raw } = await ask(config, requests.chat.body, { headers: { 'x-gw-strict-compliance': 'false' } });
    const [hook] = hooksOf(resultsIn(raw)[0]?.results);
    assert.deepEqual(hook?.stream, { mode: 'window', looks: 3, added_ttft_ms: 0 });
    const [record] = await records(1);
    assert.deepEqual(record?.guardrails?.[0]?.stream, { looks: 3, addedMs: 0 });
  });

  it('do not show in guardrails that look once the stream is over', async (t) => {
    const peer = await startPeer(t);
    peer.always(streamOf('chat', harmless));
    const { ask, records } = await guarded(t);
    await ask(target(peer, { output_guardrails: [without('halibut')] }), requests.chat.body);
    const [record] = await records(1);
    assert.equal(record?.guardrails?.length, 1);
    assert.equal(record?.guardrails?.[0]?.stream, undefined);
  });
});

describe('a request that a guardrail warns about', () => {
  for (const client of clients) {
    for (const strict of [true, false]) {
      it(`is answered with a stream of status 246 for a ${client} client, ${strict ? 'strict' : 'lenient'}`, async (t) => {
        const peer = await startPeer(t);
        peer.always(streamOf(client, harmless));
        const gateway = await guarded(t);
        const config = targetFor(client, peer, {
          input_guardrails: [{ id: 'warned', ...without('Say it') }],
          output_guardrails: [{ id: 'later', ...without('halibut') }],
        });
        const headers = { 'x-gw-config': JSON.stringify(config), 'x-gw-strict-compliance': String(strict) };
        for (const read of Object.values(readers[client])) {
          const { status, text: said, finish, raw } = await read({ gateway, headers });
          assert.deepEqual([status, finish], [246, words[client].stop]);
          assert.match(said, /^A long and friendly answer/);
          const found = resultsIn(raw);
          if (strict) {
            assert.deepEqual(found, []);
            continue;
          }
          assert.equal(found.length, 2);
          assert.deepEqual(idsIn(found[0]?.results, 'before'), ['warned']);
          assert.deepEqual(idsIn(found[1]?.results), ['later']);
          const opening = raw.slice(0, raw.indexOf('hook_results'));
          if (client === 'messages') assert.match(opening, /^event: message_start\n/);
          if (client === 'responses') assert.match(opening, /^event: response.created\n/);
          assert.doesNotMatch(opening, /friendly/);
        }
      });
    }
  }

  it('without guardrails of its reply passes byte by byte, and lenient clients are told first', async (t) => {
    const peer = await startPeer(t);
    const { events } = streamOf('chat', harmless);
    peer.always({ events: [': note\n\n', ...events] });
    const { ask } = await guarded(t);
    const config = target(peer, { input_guardrails: [without('Say it')] });
    const strict = await ask(config, requests.chat.body);
    assert.deepEqual([strict.status, strict.text], [246, `: note\n\n${events.join('')}`]);
    const lenient = await ask(config, requests.chat.body, { headers: { 'x-gw-strict-compliance': 'false' } });
    assert.equal(lenient.status, 246);
    assert.equal(resultsIn(lenient.text).length, 1);
  });

  it('that passes leaves the stream as the provider sent it; lenient clients are told first', async (t) => {
    const peer = await startPeer(t);
    const { events } = streamOf('chat', harmless);
    peer.always({ events: [': note\n\n', ...events], crlf: true });
    const { ask } = await guarded(t);
    const config = target(peer, { input_guardrails: [without('halibut')] });
    const strict = await ask(config, requests.chat.body);
    assert.deepEqual([strict.status, strict.text], [200, `: note\n\n${events.join('')}`.replaceAll('\n', '\r\n')]);
    const lenient = await ask(config, requests.chat.body, { headers: { 'x-gw-strict-compliance': 'false' } });
    const told = resultsIn(lenient.text).map(({ results }) => asObjects(results.before_request_hooks)[0]?.verdict);
    assert.deepEqual([lenient.status, told], [200, [true]]);
  });
});
