import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { GatewayError, type JsonObject, type Outcome, type RequestContext, type RequestRecord } from 'portcullis/sdk';
import { Exchange } from '../../../core/pipeline/exchange.ts';
import type { Runtime } from '../../../core/pipeline/runtime.ts';
import { Turns } from '../../../core/realtime/turns.ts';

/** A pipeline that writes down what it admits and settles. */
function world(refuses: (count: number) => boolean = () => false) {
  const admitted: RequestContext[] = [];
  const settled: RequestRecord[] = [];
  let count = 0;
  let ids = 0;
  const pipeline = {
    admit: async (request: RequestContext) => {
      count += 1;
      if (count % 3 === 0) await turn();
      if (refuses(count)) throw new GatewayError('rate_limited', 'The limit is reached.');
      admitted.push(request);
    },
    settle: (_: RequestContext, record: RequestRecord) => {
      settled.push(record);
    },
    log: () => {},
    price: () => undefined,
  };
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (event: string) => assert.fail(event) };
  const runtime = { pipeline, log, now: () => 1 } as unknown as Runtime;
  const exchange = new Exchange({
    id: 'session',
    method: 'GET',
    path: '/v1/realtime',
    query: '',
    endpoint: 'realtime',
    dialect: undefined,
    params: {},
    headers: {},
    vendors: ['gw'],
    startedAt: 1,
  });
  const outcome: Outcome = {
    status: 200,
    headers: {},
    body: { kind: 'bytes', bytes: new Uint8Array() },
    provider: 'openai',
    model: 'gpt-realtime',
    path: 'config',
    retries: 0,
    usage: () => undefined,
  };
  const newId = () => {
    ids += 1;
    return `turn-${ids}`;
  };
  return { turns: new Turns({ runtime, exchange, outcome, newId }), admitted, settled };
}

const tokens = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });
const created = (id: string): JsonObject => ({ type: 'response.created', response: { id } });
const done = (id: string, response: JsonObject = {}): JsonObject => ({
  type: 'response.done',
  response: { id, status: 'completed', usage: tokens(2, 1), ...response },
});

type Step = readonly ['ask' | 'begin' | 'done' | 'error' | 'heard' | 'configured', number];

const steps = fc.array(
  fc.tuple(fc.constantFrom<Step[0]>('ask', 'begin', 'done', 'error', 'heard', 'configured'), fc.nat(5)),
  { maxLength: 40 },
);

/** Client and provider each wait for their own last step, and not for the other's. */
async function play(turns: Turns, played: readonly Step[], closesAt: number): Promise<void> {
  let asking: Promise<unknown> = Promise.resolve();
  let telling: Promise<unknown> = Promise.resolve();
  for (const [index, [kind, id]] of played.entries()) {
    if (index === closesAt) turns.close('left');
    const tell = (what: () => unknown) => {
      telling = telling.then(what);
    };
    if (kind === 'ask') asking = asking.then(() => turns.asked({ type: 'response.create', event_id: `e${id}` }));
    if (kind === 'begin') tell(() => turns.begun(created(`r${id}`)));
    if (kind === 'done') tell(() => turns.done(done(`r${id}`)));
    if (kind === 'error') tell(() => turns.failed({ type: 'error', error: { event_id: `e${id}` } }));
    if (kind === 'heard') tell(() => turns.transcribed({ usage: tokens(1, 1) }));
    if (kind === 'configured') tell(() => turns.configured({ session: { model: 'other' } }));
    if (id % 2 === 0) await turn();
  }
  await Promise.all([asking, telling]);
  turns.close('left');
  await turn();
}

describe('the answers of a session', () => {
  it('settle exactly once, in whatever order they are asked for, begun, done, refused and given up', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(60), fc.nat(7), async (played, closesAt, refusal) => {
        const { turns, admitted, settled } = world((count) => refusal > 1 && count % refusal === 0);
        await play(turns, played, closesAt);
        const ids = settled.map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length, 'none is settled twice');
        for (const { id } of admitted) assert.ok(ids.includes(id), 'what was admitted is settled');
        assert.equal(turns.running.length, 0);
        assert.equal(turns.isWaiting, false);
        const told = new Set(played.flatMap(([kind, id]) => (kind === 'done' ? [id] : []))).size;
        const heard = played.filter(([kind]) => kind === 'heard').length;
        const paid = settled.filter(({ usage }) => usage !== undefined).length;
        assert.equal(paid, told + heard, 'what is paid for counts once');
      }),
      { numRuns: 300 },
    );
  });

  it('belong to their ids where several are open at once', async () => {
    const { turns, settled } = world();
    for (const event_id of ['a', 'b', 'c']) await turns.asked({ type: 'response.create', event_id });
    for (const id of ['r1', 'r2', 'r3']) await turns.begun(created(id));
    await turns.done(done('r3', { usage: tokens(30, 3) }));
    await turns.done(done('r1', { usage: tokens(10, 1) }));
    await turns.done(done('r2', { usage: tokens(20, 2) }));
    await turn();
    assert.deepEqual(
      settled.map(({ id, usage }) => [id, usage?.input]),
      [
        ['turn-3', 30],
        ['turn-1', 10],
        ['turn-2', 20],
      ],
    );
  });

  for (const [status, more, expected] of [
    ['completed', {}, [200, undefined]],
    ['completed', { usage: null }, [200, undefined]],
    ['cancelled', {}, [200, undefined]],
    ['incomplete', {}, [200, undefined]],
    ['failed', {}, [502, 'upstream_error']],
    ['failed', { status_details: { error: { code: 'rate_limit_exceeded' } } }, [429, 'upstream_error']],
  ] as const) {
    it(`are logged by how they ended: ${status} ${JSON.stringify(more)}`, async () => {
      const { turns, settled } = world();
      await turns.asked({ type: 'response.create' });
      await turns.done(done('r', { status, ...more }));
      await turn();
      assert.deepEqual([settled[0]?.status, settled[0]?.error], expected);
    });
  }

  it('are settled as given up when the session ends, or as broken', async () => {
    for (const [end, status] of [
      ['left', 499],
      ['broken', 502],
    ] as const) {
      const { turns, settled } = world();
      await turns.asked({ type: 'response.create' });
      turns.close(end);
      await turn();
      assert.deepEqual(
        settled.map((record) => record.status),
        [status],
      );
    }
  });

  it('are bounded, so that nobody keeps ever more of them open', async () => {
    const { turns } = world();
    for (let count = 0; count < 1_000; count += 1) await turns.asked({ type: 'response.create' });
    const refused = await turns.asked({ type: 'response.create' });
    assert.match(refused?.message ?? '', /Too many answers/);
    turns.close('left');
  });

  it('have the model that the provider names, where the client has named none', async () => {
    const { turns, settled } = world();
    turns.configured({ session: { input_audio_transcription: { model: 'whisper-1' } } });
    await turns.transcribed({ usage: { type: 'duration', seconds: 2.2 } });
    await turns.transcribed({ transcript: 'without any count' });
    await turn();
    assert.deepEqual(
      settled.map(({ model, usage }) => [model, usage?.serverTools]),
      [['whisper-1', { audio_seconds: 3 }]],
    );
  });
});
