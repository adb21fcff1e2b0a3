import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { asObject, asObjects } from 'portcullis/sdk';
import { guarded, resultsOf, says, without } from '../plugins/guardrails/guarded.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

describe('what a guardrail has looked at', () => {
  const twice =
    '{"model":"m","messages":[{"role":"user","content":"bad"}],"messages":[{"role":"user","content":"good"}]}';

  it('is what leaves, where the bytes of the request say a key twice', async (t) => {
    const peer = await startPeer(t);
    const { post } = await guarded(t);
    const config = target(peer, { input_guardrails: [{ ...without('bad'), deny: true }] });
    const reply = await post('/v1/chat/completions', twice, { 'x-gw-config': JSON.stringify(config) });
    const { bytes } = await peer.request(0);
    assert.deepEqual([reply.status, bytes.toString()], [200, JSON.stringify(says('good'))]);
  });

  it('leaves with the bytes of the client where no guardrail looks', async (t) => {
    const peer = await startPeer(t);
    const { post } = await guarded(t);
    await post('/v1/chat/completions', twice, { 'x-gw-config': JSON.stringify(target(peer)) });
    assert.equal((await peer.request(0)).bytes.toString(), twice);
  });
});

describe('an answer of a provider', () => {
  const message = { role: 'assistant', content: 'a secret' };
  const choice = { index: 0, finish_reason: 'stop' };
  const about = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm' };
  const reply = JSON.stringify({ ...about, object: 'chat.completion', choices: [{ ...choice, message }] });
  const chunk = { ...about, object: 'chat.completion.chunk', choices: [{ ...choice, delta: message }] };
  const events = [`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n'];
  const mask = { 'default.regexReplace': { rule: 'secret', redactText: '***' }, stream_mode: 'window' };

  for (const type of ['Application/JSON', 'text/plain', 'application/octet-stream']) {
    it(`is looked at where it says that it is ${type}`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ body: reply, headers: { 'content-type': type } });
      const { ask } = await guarded(t);
      const { text, headers } = await ask(target(peer, { output_guardrails: [mask] }));
      assert.match(text, /"a \*\*\*"/);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
    });
  }

  it('is looked at behind a byte order mark', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: `\ufeff${reply}` });
    const { ask } = await guarded(t);
    assert.match((await ask(target(peer, { output_guardrails: [mask] }))).text, /"a \*\*\*"/);
    const told = await ask(target(peer, { output_guardrails: [without('secret')] }));
    assert.deepEqual([told.status, resultsOf(told, 'after')[0]?.verdict], [246, false]);
  });

  for (const type of ['Text/Event-Stream', 'text/plain']) {
    it(`is looked at in windows where its stream says that it is ${type}`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ events, headers: { 'content-type': type } });
      const { ask } = await guarded(t);
      const { text, headers } = await ask(target(peer, { output_guardrails: [mask] }), says('x', { stream: true }));
      assert.match(text, /"a \*\*\*"/);
      assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
    });
  }
});

describe('a check that asks an address of its own', () => {
  const key = 'a key of the gateway';

  for (const [header, value] of [
    ['x-gw-api-key', key],
    ['authorization', `Bearer ${key}`],
    ['x-api-key', key],
  ] as const) {
    it(`is never told the key of the gateway that came as ${header}`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ body: { active: true } });
      const { ask } = await guarded(t, { keys: [{ name: 'own', sha256: hash('sha256', key) }] });
      const jwt = { headerKey: header, introspectEndpoint: `${peer.origin}/introspect` };
      const config = { input_guardrails: [{ 'default.jwt': jwt, deny: true }] };
      const reply = await ask(config, says('x'), { headers: { [header]: value } });
      assert.deepEqual([reply.status, peer.requests.length], [446, 0]);
    });
  }

  it('is never told it from another header that repeats it', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: { active: true } });
    const { ask } = await guarded(t, { keys: [{ name: 'own', sha256: hash('sha256', key) }] });
    const jwt = { headerKey: 'x-api-key', introspectEndpoint: `${peer.origin}/introspect` };
    const headers = { 'x-gw-api-key': key, 'x-api-key': key };
    const reply = await ask({ input_guardrails: [{ 'default.jwt': jwt, deny: true }] }, says('x'), { headers });
    assert.deepEqual([reply.status, peer.requests.length], [446, 0]);
  });

  it('puts no more than 64 KiB of its data into the results', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: { verdict: true, data: { much: 'x'.repeat(70_000) } } });
    const { ask } = await guarded(t);
    const hook = { 'default.webhook': { webhookURL: `${peer.origin}/hook` } };
    const reply = await ask({ input_guardrails: [hook] });
    const [check] = asObjects(resultsOf(reply)[0]?.checks);
    assert.equal(check?.verdict, true);
    assert.deepEqual(asObject(check?.data), {
      omitted: 'The data of the check are larger than 65536 bytes of JSON.',
    });
  });
});
