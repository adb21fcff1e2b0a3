import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { chatReply, limitedWorld, type World } from '../plugins/limits/world.ts';
import { patientMs, type RedisServer, startRedis } from '../support/redis.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { type Counted, clients, settledState, statuses, together, untilUsed } from './limits-world.ts';

noUnhandledRejections();

/** A Saturday, in the middle of everything that has a border. */
const now = Date.UTC(2026, 10, 21, 12, 34, 56, 789);

const windowStarts = {
  rps: Date.UTC(2026, 10, 21, 12, 34, 56),
  rpm: Date.UTC(2026, 10, 21, 12, 34),
  rph: Date.UTC(2026, 10, 21, 12),
  rpd: Date.UTC(2026, 10, 21),
  rpw: Date.UTC(2026, 10, 16),
};
const units = Object.keys(windowStarts) as (keyof typeof windowStarts)[];

const resets: readonly (readonly [string, JsonObject, number])[] = [
  ['each week', { periodic_reset: 'weekly' }, Date.UTC(2026, 10, 16)],
  ['each month', { periodic_reset: 'monthly' }, Date.UTC(2026, 10, 1)],
  ['each three days', { periodic_reset_days: 3 }, Date.UTC(2026, 10, 21)],
  ['never', {}, 0],
];

const body: JsonObject = { max_tokens: 40, messages: [{ role: 'user', content: 'Tell me of the sea. '.repeat(4) }] };
const nanoPerToken = 800_000;

/** In the unit of the count: whole billionths of a dollar for cost. */
const limits = { requests: 20, tokens: 1_000, cost: 1_000_000_000 };
type Measure = keyof typeof limits;

interface Case {
  readonly title: string;
  readonly measure: Measure;
  /** Of the key. */
  readonly field: JsonObject;
  readonly status: 429 | 412;
  readonly count: (keyId: string) => Counted;
}

const cases: readonly Case[] = [
  ...(['requests', 'tokens'] as const).flatMap((type) =>
    units.map((unit) => ({
      title: `${limits[type]} ${type} in ${unit}`,
      measure: type,
      field: { rate_limits: [{ type, unit, value: limits[type] }] },
      status: 429 as const,
      count: (id: string) => ({ name: `rate/key/${id}/${type}/${unit}`, start: windowStarts[unit], durable: false }),
    })),
  ),
  ...(['requests', 'tokens', 'cost'] as const).flatMap((type) =>
    resets.map(([reset, cadence, start]) => ({
      title: `a budget of ${type} that is reset ${reset}`,
      measure: type,
      field: { usage_limits: { type, credit_limit: type === 'cost' ? 1 : limits[type], ...cadence } },
      status: 412 as const,
      count: (id: string) => ({ name: `budget/key/${id}/${type}`, start, durable: true }),
    })),
  ),
];

interface Bed extends World {
  /** Tokens that are set aside for a request. */
  readonly estimate: number;
}

async function openBed(t: Pick<TestContext, 'after'>, redisUrl: string | undefined): Promise<Bed> {
  const limits = { whenRedisAway: 'closed', redisTimeoutMs: patientMs } as const;
  const config = redisUrl === undefined ? {} : { redisUrl, limits };
  const world = await limitedWorld(t, { startAt: now, stands: true, config });
  await world.control.ok('POST', '/v1/model-prices', {
    // In cents.
    body: {
      name: 'of the test',
      provider: 'openai',
      model: 'gpt-4o-mini',
      price: { request_token: nanoPerToken / 1e7, response_token: nanoPerToken / 1e7 },
    },
  });
  const most = 1_000_000;
  const { key } = await world.key({ rate_limits: [{ type: 'tokens', unit: 'rpw', value: most }] });
  world.peer.next({ body: chatReply(1, 1) });
  const { headers } = await world.ask(key, body);
  const estimate = most - Number(headers.get('x-ratelimit-remaining-tokens'));
  assert.ok(estimate > 40 && estimate < 100, `${estimate} tokens are set aside`);
  return { ...world, estimate };
}

/** What a request comes to that uses so many tokens. */
function amountOf(measure: Measure, tokens: number): number {
  return { requests: 1, tokens, cost: tokens * nanoPerToken }[measure];
}

const isKnown = (status: number, { status: refused }: Case) => status === 200 || status === refused;

/** All clients at once, then one by one until nobody gets in any more: what has been used at the end. */
async function used(bed: Bed, one: Case, tokens: number): Promise<readonly [number, number, Counted]> {
  const { ask, peer } = bed;
  peer.always({ body: chatReply(tokens - 1, 1) });
  const { id, key } = await bed.key(one.field);
  const count = one.count(id);
  const before = peer.requests.length;
  const replies = await together(() => ask(key, body));
  assert.ok(
    replies.every(({ status }) => isKnown(status, one)),
    JSON.stringify(statuses(replies)),
  );
  const { 200: through = 0 } = statuses(replies);
  assert.equal(peer.requests.length - before, through, 'nobody who was refused has reached the provider');
  let sum = through * amountOf(one.measure, tokens);
  await untilUsed(bed, count, sum);
  while ((await ask(key, body)).status === 200) {
    sum += amountOf(one.measure, tokens);
    assert.equal(await settledState(bed, count), sum);
  }
  await untilUsed(bed, count, sum);
  return [through, sum, count];
}

for (const backend of ['memory', 'Redis'] as const) {
  describe(`${clients} clients at once, counted in ${backend},`, () => {
    let redis: RedisServer | undefined;
    let bed: Bed;
    const closing: (() => unknown)[] = [];
    before(async () => {
      if (backend === 'Redis') redis = await startRedis();
      bed = await openBed({ after: (close) => void closing.push(close as () => unknown) }, redis?.url);
    });
    after(async () => {
      for (const close of closing) await close();
      await redis?.close();
    });

    for (const one of cases) {
      const most = limits[one.measure];

      it(`use ${one.title} up, and never more`, async () => {
        const [through, sum] = await used(bed, one, bed.estimate);
        const each = amountOf(one.measure, bed.estimate);
        assert.equal(through, Math.floor(most / each));
        assert.ok(sum <= most && sum + each > most);
      });

      if (one.measure === 'requests') continue;
      it(`use ${one.title} up, though they use less than was set aside`, async () => {
        const tokens = Math.floor(bed.estimate / 2);
        const [through, sum] = await used(bed, one, tokens);
        const [aside, each] = [amountOf(one.measure, bed.estimate), amountOf(one.measure, tokens)];
        assert.ok(through >= Math.floor(most / aside) && through <= Math.floor(most / each), `${through} were let in`);
        assert.ok(sum <= most && sum + aside > most, `${sum} of ${most}, where ${aside} are set aside for each`);
      });
    }

    it('go beyond a limit by what they use above their estimates, while in flight, and then stop', async () => {
      const { ask, peer, estimate } = bed;
      const { id, key } = await bed.key({ usage_limits: { type: 'tokens', credit_limit: limits.tokens } });
      peer.always({ body: chatReply(estimate * 3, 0) });
      const { 200: through = 0 } = statuses(await together(() => ask(key, body)));
      assert.ok(through > 0 && through <= Math.floor(limits.tokens / estimate));
      await untilUsed(bed, { name: `budget/key/${id}/tokens`, start: 0, durable: true }, through * estimate * 3);
      const replies = await together(() => ask(key, body));
      if (through * estimate * 3 > limits.tokens - estimate) assert.deepEqual(statuses(replies), { 412: clients });
    });

    it('begin anew when a window or period is over, as they have been told', async () => {
      const { control, ask, peer } = bed;
      peer.always({ body: chatReply(1, 1) });
      for (const unit of units) {
        const { key } = await bed.key({ rate_limits: [{ type: 'requests', unit, value: 1 }] });
        assert.deepEqual(statuses([await ask(key), await ask(key)]), { 200: 1, 429: 1 });
        const refused = await ask(key);
        const seconds = Number(refused.headers.get('retry-after'));
        control.advance((seconds - 1) * 1000);
        assert.equal((await ask(key)).status, 429, `${unit}: ${seconds - 1} s later`);
        control.advance(1000);
        assert.deepEqual(
          statuses(await together(() => ask(key), 5)),
          { 200: 1, 429: 4 },
          `${unit}: ${seconds} s later`,
        );
      }
      for (const [reset, cadence] of resets.slice(0, -1)) {
        const { key } = await bed.key({ usage_limits: { type: 'requests', credit_limit: 1, ...cadence } });
        assert.equal((await ask(key)).status, 200);
        const refused = await ask(key);
        assert.equal(refused.status, 412);
        const said = String(asObject(refused.json.error)?.message);
        const at = Date.parse(/reset at (\S+Z)\./.exec(said)?.[1] ?? said);
        control.advance(at - 1 - control.now());
        assert.equal((await ask(key)).status, 412, `${reset}: a moment before`);
        control.advance(1);
        assert.deepEqual(statuses(await together(() => ask(key), 5)), { 200: 1, 412: 4 }, reset);
      }
    });
  });
}
