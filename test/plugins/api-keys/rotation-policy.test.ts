import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  checkTransition,
  nextRotation,
  type Rotation,
  type RotationCadence,
  rotationOf,
} from '../../../plugins/api-keys/rotation-policy.ts';

const at = (text: string) => Date.parse(text);
/** A Wednesday. */
const now = at('2026-04-15T10:30:00Z');
const dayMs = 86_400_000;

const cadence = (fields: Partial<RotationCadence>): RotationCadence => ({
  rotation_period: null,
  rotation_period_days: null,
  key_transition_period_ms: 1_800_000,
  ...fields,
});
const iso = (rotation: Rotation | undefined) =>
  rotation === undefined ? undefined : new Date(rotation.next_rotation_at).toISOString();

describe('a rotation policy', () => {
  const moments: readonly [string, Parameters<typeof rotationOf>[0], string][] = [
    ['weekly: the next Monday', { rotation_period: 'weekly' }, '2026-04-20T00:00:00.000Z'],
    ['monthly: the first of the next month', { rotation_period: 'monthly' }, '2026-05-01T00:00:00.000Z'],
    ['in days: that many from today', { rotation_period_days: 10 }, '2026-04-25T00:00:00.000Z'],
    [
      'with a moment of its own: the midnight of that day, the cadence follows',
      { rotation_period: 'weekly', next_rotation_at: at('2026-04-22T17:45:00Z') },
      '2026-04-22T00:00:00.000Z',
    ],
    ['with a moment alone: once', { next_rotation_at: at('2026-06-01T00:00:00Z') }, '2026-06-01T00:00:00.000Z'],
  ];
  for (const [what, given, expected] of moments) {
    it(what, () => assert.equal(iso(rotationOf(given, { now })), expected));
  }

  const refused: readonly [string, Parameters<typeof rotationOf>[0], string][] = [
    ['both periods', { rotation_period: 'weekly', rotation_period_days: 7 }, 'rotation_policy.rotation_period_days'],
    ['neither a period nor a moment', { key_transition_period_ms: 1_800_000 }, 'rotation_policy.rotation_period'],
    ['today', { rotation_period: 'weekly', next_rotation_at: now + 1000 }, 'rotation_policy.next_rotation_at'],
    ['yesterday', { rotation_period_days: 3, next_rotation_at: now - dayMs }, 'rotation_policy.next_rotation_at'],
    [
      'a transition of less than 30 minutes',
      { rotation_period: 'weekly', key_transition_period_ms: 1_799_999 },
      'rotation_policy.key_transition_period_ms',
    ],
    [
      'a transition as long as the period',
      { rotation_period_days: 1, key_transition_period_ms: dayMs },
      'rotation_policy.key_transition_period_ms',
    ],
    [
      'a transition that outlasts February',
      { rotation_period: 'monthly', key_transition_period_ms: 28 * dayMs },
      'rotation_policy.key_transition_period_ms',
    ],
  ];
  for (const [what, given, param] of refused) {
    it(`is refused with ${what}`, () => {
      assert.throws(() => rotationOf(given, { now }), { code: 'bad_request', param });
    });
  }

  it('keeps its cadence when only the transition or the next moment changes', () => {
    const current = rotationOf({ rotation_period: 'weekly' }, { now });
    assert.deepEqual(rotationOf({ key_transition_period_ms: 3_600_000 }, { now, current }), {
      rotation: cadence({ rotation_period: 'weekly', key_transition_period_ms: 3_600_000 }),
      next_rotation_at: at('2026-04-20T00:00:00Z'),
    });
    const moved = rotationOf({ next_rotation_at: at('2026-04-30T00:00:00Z') }, { now, current });
    assert.equal(moved?.rotation.rotation_period, 'weekly');
    assert.equal(iso(moved), '2026-04-30T00:00:00.000Z');
  });

  it('changes from one period to the other', () => {
    const current = rotationOf({ rotation_period: 'weekly' }, { now });
    assert.deepEqual(
      rotationOf({ rotation_period_days: 3 }, { now, current })?.rotation,
      cadence({ rotation_period_days: 3 }),
    );
  });

  it('is removed by null and left alone by silence', () => {
    const current = rotationOf({ rotation_period: 'weekly' }, { now });
    assert.equal(rotationOf(null, { now, current }), undefined);
    assert.equal(rotationOf(undefined, { now, current }), current);
    assert.equal(rotationOf(undefined, { now }), undefined);
  });
});

it('a policy that was read may be written as it is, when its moment has come too', () => {
  const current = { rotation: cadence({ rotation_period: 'weekly' }), next_rotation_at: at('2026-04-13T00:00:00Z') };
  assert.deepEqual(
    rotationOf({ ...current.rotation, next_rotation_at: current.next_rotation_at }, { now, current }),
    current,
  );
});

describe('an enforced cadence', () => {
  const enforced = (given: Parameters<typeof rotationOf>[0], days: number, current?: Rotation) =>
    rotationOf(given, { now, enforcedDays: days, current });

  it('is given to a key that asks for none', () => {
    const rotation = enforced(undefined, 14);
    assert.deepEqual(rotation?.rotation, cadence({ rotation_period_days: 14 }));
    assert.equal(iso(rotation), '2026-04-29T00:00:00.000Z');
  });

  it('accepts the same cadence by its days or its name, and a transition of the key own', () => {
    assert.equal(enforced({ rotation_period_days: 7 }, 7)?.rotation.rotation_period_days, 7);
    assert.equal(enforced({ rotation_period: 'weekly' }, 7)?.rotation.rotation_period_days, 7);
    assert.equal(enforced({ rotation_period: 'monthly' }, 30)?.rotation.rotation_period_days, 30);
    assert.equal(enforced({ key_transition_period_ms: 3_600_000 }, 30)?.rotation.key_transition_period_ms, 3_600_000);
  });

  it('refuses another cadence, a moment, and its removal', () => {
    const cases = [{ rotation_period_days: 8 }, { rotation_period: 'monthly' }, null];
    for (const given of cases) assert.throws(() => enforced(given, 7), { code: 'bad_request' });
    assert.throws(() => enforced({ next_rotation_at: now + 3 * dayMs }, 7), {
      code: 'bad_request',
      param: 'rotation_policy.next_rotation_at',
    });
  });

  it('leaves the moment of a key that has it already', () => {
    const current = { rotation: cadence({ rotation_period_days: 7 }), next_rotation_at: now + 2 * dayMs };
    assert.equal(enforced(undefined, 7, current)?.next_rotation_at, now + 2 * dayMs);
    assert.equal(iso(enforced(undefined, 5, current)), '2026-04-20T00:00:00.000Z');
  });

  it('takes the policy that it has shown', () => {
    const current = { rotation: cadence({ rotation_period_days: 7 }), next_rotation_at: now + 2 * dayMs };
    const read = { ...current.rotation, next_rotation_at: current.next_rotation_at };
    assert.deepEqual(enforced(read, 7, current), current);
  });
});

describe('the next rotation', () => {
  it('on a Monday is the Monday after', () => {
    const monday = at('2026-04-20T00:00:00Z');
    assert.equal(nextRotation(cadence({ rotation_period: 'weekly' }), monday), monday + 7 * dayMs);
  });

  it('in December is the first of January', () => {
    assert.equal(
      nextRotation(cadence({ rotation_period: 'monthly' }), at('2026-12-31T23:59:59Z')),
      at('2027-01-01T00:00:00Z'),
    );
  });

  it('makes up once for runs that were missed', () => {
    const last = at('2026-04-01T00:00:00Z');
    assert.equal(nextRotation(cadence({ rotation_period_days: 5 }), now, last), at('2026-04-16T00:00:00Z'));
  });

  it('there is none after the only one', () => assert.equal(nextRotation(cadence({}), now), undefined));

  it('is always a midnight in the future, no farther than the period', () => {
    const cadences = fc.oneof(
      fc.constantFrom(cadence({ rotation_period: 'weekly' }), cadence({ rotation_period: 'monthly' })),
      fc.integer({ min: 1, max: 365 }).map((days) => cadence({ rotation_period_days: days })),
    );
    const moment = fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
    fc.assert(
      fc.property(cadences, moment, fc.integer({ min: 0, max: 800 }), (rotation, when, ago) => {
        const last = Math.floor(when / dayMs) * dayMs - ago * dayMs;
        const next = nextRotation(rotation, when, last) ?? Number.NaN;
        const longest = rotation.rotation_period_days ?? (rotation.rotation_period === 'weekly' ? 7 : 31);
        assert.equal(next % dayMs, 0);
        assert.ok(next > when, 'in the future');
        assert.ok(next - when <= longest * dayMs, 'within the period');
      }),
    );
  });
});

describe('a transition', () => {
  it('without a policy may last from 30 minutes to a year', () => {
    checkTransition(1_800_000, null, 'x');
    checkTransition(365 * dayMs, null, 'x');
    for (const ms of [0, 1_799_999, 365 * dayMs + 1]) {
      assert.throws(() => checkTransition(ms, null, 'x'), { code: 'bad_request', param: 'x' });
    }
  });
});
