import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { asObject, type JsonObject, type RequestRecord } from 'portcullis/sdk';
import { limitedWorld } from '../plugins/limits/world.ts';
import {
  answering,
  done,
  eventOf,
  openClient,
  realtimePeer,
  refusedHandshake,
  say,
  until,
  usage,
} from './realtime-world.ts';

async function world(t: TestContext) {
  const limited = await limitedWorld(t);
  const peer = await realtimePeer(t);
  const { control } = limited;
  await control.ok('PUT', `/v1/integrations/${limited.integrationId}`, {
    body: { key: 'sk-of-prod', configurations: { custom_host: peer.url } },
  });
  const kept: RequestRecord[] = [];
  const { pipeline } = control.gateway.runtime;
  const log = pipeline.log;
  pipeline.log = (record, bodies) => {
    kept.push(record);
    log(record, bodies);
  };
  const open = (key: string, headers: Readonly<Record<string, string>> = {}) =>
    openClient(t, control.url, { 'x-gw-api-key': key, ...headers }, { query: '?model=@prod/gpt-realtime' });
  return { ...limited, realtime: peer, kept, open, url: control.url };
}

const rate = (type: string, value: number): JsonObject => ({ rate_limits: [{ type, unit: 'rpm', value }] });
const budget = (type: string, credit_limit: number): JsonObject => ({ usage_limits: { type, credit_limit } });

describe('limits within a session', () => {
  it('refuse an answer by an event, and the provider is not asked', async (t) => {
    const { key, open, realtime } = await world(t);
    realtime.answer = answering(20, 10);
    const made = await key(rate('requests', 2));
    const client = await open(made.key);
    client.send({ type: 'response.create', event_id: 'mine' });
    await client.next('response.done');
    client.send({ type: 'response.create', event_id: 'mine-too' });
    const { error, event_id } = await client.next('error');
    const { code, type, message, event_id: asked } = asObject(error) ?? {};
    assert.deepEqual([code, type, asked], ['rate_limited', 'rate_limit_error', 'mine-too']);
    assert.match(String(message), /The rate limit of .+ is reached: 2 requests/);
    assert.match(String(event_id), /^event_/);
    client.send({ type: 'response.create' });
    assert.equal(asObject((await client.next('error')).error)?.event_id, null);
    client.send({ type: 'input_audio_buffer.clear' });
    await until(() => realtime.heard.length === 2);
    assert.equal(realtime.heard.filter((text) => text.includes('response.create')).length, 1);
  });

  it('leave no call behind of an answer that they refuse, as long as the provider has not begun it', async (t) => {
    const { key, open, realtime, kept } = await world(t);
    const made = await key(rate('requests', 1));
    const client = await open(made.key);
    client.send({ type: 'response.create' });
    await client.next('error');
    say(await realtime.session(), { type: 'response.created', response: { id: 'vad_1' } });
    await client.closed;
    await until(() => kept.length === 3);
    assert.deepEqual(
      kept.map(({ status, attempts }) => [status, attempts?.length]),
      [
        [429, 0],
        [429, 1],
        [200, 1],
      ],
    );
  });

  it('end a session whose provider begins an answer beyond them', async (t) => {
    const { key, open, realtime, kept } = await world(t);
    const made = await key(rate('requests', 2));
    const client = await open(made.key);
    const session = await realtime.session();
    say(session, { type: 'response.created', response: { id: 'vad_1' } });
    say(session, done('vad_1', { usage: usage(1, 1) }));
    await client.next('response.done');
    const closed = once(session, 'close');
    say(session, { type: 'response.created', response: { id: 'vad_2' } });
    assert.equal(asObject((await client.next('error')).error)?.code, 'rate_limited');
    const { code, reason } = await client.closed;
    assert.equal(code, 1008);
    assert.match(reason, /^The rate limit of /);
    assert.equal((await closed)[0], 1001);
    assert.ok(!client.told.some(({ response }) => asObject(response)?.id === 'vad_2'));
    await until(() => kept.length === 3);
    assert.deepEqual(kept.map(({ status }) => status).sort(), [200, 200, 429]);
  });

  it('count the tokens of each answer exactly, and give the room of the others back', async (t) => {
    const { key, open, realtime, settled, control } = await world(t);
    const made = await key(budget('tokens', 10_000));
    let count = 0;
    realtime.answer = (session, data) => {
      if (eventOf(data).type !== 'response.create') return;
      count += 1;
      say(session, { type: 'response.created', response: { id: `r${count}` } });
      const ends: readonly JsonObject[] = [
        { usage: usage(200, 100) },
        { status: 'cancelled', usage: usage(10, 5) },
        { status: 'incomplete', usage: usage(7, 3) },
        { status: 'failed', usage: null, status_details: { error: { code: 'server_error' } } },
      ];
      // The last one is never done.
      const end = ends[count - 1];
      if (end !== undefined) say(session, done(`r${count}`, end));
    };
    const client = await open(made.key);
    for (let number = 0; number < 4; number += 1) {
      client.send({ type: 'response.create' });
      await client.next('response.done');
    }
    client.send({ type: 'response.create' });
    await until(() => count === 5);
    client.socket.close(1000);
    await client.closed;
    const { counts } = (await control.gateway.control?.counters.list(control.organisationId, '', undefined, 10, 0)) ?? {
      counts: [],
    };
    const name = counts.find((found) => found.name.includes(made.id))?.name;
    assert.ok(name !== undefined, JSON.stringify(counts));
    await settled(name, 325);
  });

  it('hold the tokens of a session against a rate, and those of transcriptions too', async (t) => {
    const { key, open, realtime, kept } = await world(t);
    const client = await open((await key(rate('tokens', 600))).key);
    const session = await realtime.session();
    say(session, {
      type: 'session.created',
      session: { audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } },
    });
    const heard = { type: 'conversation.item.input_audio_transcription.completed', transcript: 'Hi' };
    const counts = { type: 'tokens', ...usage(350, 50), input_token_details: { audio_tokens: 350 } };
    say(session, { ...heard, usage: counts });
    await client.next(heard.type);
    await until(() => kept.length === 1);
    assert.deepEqual(
      [kept[0]?.model, kept[0]?.usage?.audioInput, kept[0]?.usage?.total],
      ['gpt-4o-transcribe', 350, 400],
    );
    client.send({ type: 'response.create' });
    assert.equal(asObject((await client.next('error')).error)?.code, 'rate_limited');
    say(session, { ...heard, usage: counts });
    await client.next(heard.type);
    say(session, { ...heard, usage: { type: 'duration', seconds: 2.5 } });
    await client.next('error');
    assert.equal((await client.closed).code, 1008);
  });

  it('price an answer by the sound, the text and the cache in it, as its key', async (t) => {
    const { key, open, realtime, kept, workspaceId } = await world(t);
    realtime.answer = (session, data) => {
      if (eventOf(data).type !== 'response.create') return;
      say(session, { type: 'response.created', response: { id: 'r' } });
      const details = {
        input_token_details: {
          text_tokens: 400,
          audio_tokens: 600,
          cached_tokens: 300,
          cached_tokens_details: { text_tokens: 100, audio_tokens: 200 },
        },
        output_token_details: { text_tokens: 100, audio_tokens: 400 },
      };
      say(session, done('r', { usage: { ...usage(1_000, 500), ...details } }));
    };
    const made = await key(budget('cost', 5));
    const client = await open(made.key, { 'x-gw-metadata': '{"team":"voice"}' });
    client.send({ type: 'response.create' });
    await client.next('response.done');
    await until(() => kept.length === 1);
    const [record] = kept;
    assert.deepEqual(record?.usage, {
      input: 1_000,
      output: 500,
      total: 1_500,
      cacheRead: 300,
      cacheReadAudio: 200,
      audioInput: 600,
      audioOutput: 400,
    });
    // Per million: text 4, cached text and sound 0.4, sound 32; written text 16, sound 64.
    assert.equal(record?.cost?.nanoUsd, 300 * 4_000 + 300 * 400 + 400 * 32_000 + 100 * 16_000 + 400 * 64_000);
    const { model, provider, providerSlug, keyId, metadata } = record ?? {};
    assert.deepEqual(
      { model, provider, providerSlug, keyId, metadata, workspace: record?.workspaceId },
      {
        model: 'gpt-realtime',
        provider: 'openai',
        providerSlug: 'prod',
        keyId: made.id,
        metadata: { team: 'voice' },
        workspace: workspaceId,
      },
    );
  });

  it('let nobody in who lacks the permission', async (t) => {
    const { control, workspaceId, url, realtime } = await world(t);
    const { key } = await control.ok('POST', '/v1/api-keys/workspace/service', {
      body: { name: 'reader', workspace_id: workspaceId, scopes: ['logs.list'] },
    });
    const { status, message } = await refusedHandshake(url, { 'x-gw-api-key': String(key) });
    assert.equal(status, 403);
    assert.match(message, /completions\.write/);
    assert.equal(realtime.seen.length, 0);
  });
});
