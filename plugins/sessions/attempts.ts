import { GatewayError, type Operation } from 'portcullis/sdk';

/** How many attempts are free, how fast they are forgotten, and how long the wait may grow that doubles with each further one. */
interface Rule {
  readonly free: number;
  readonly forgottenAfterMs: number;
  readonly longestMs: number;
}

const minute = 60_000;
const firstWaitMs = 5_000;

const rules = {
  /** One person from one place. */
  pair: { free: 5, forgottenAfterMs: 15 * minute, longestMs: 15 * minute },
  /** One person from anywhere: the wait stays short, or anyone could lock anyone out. */
  person: { free: 20, forgottenAfterMs: 15 * minute, longestMs: minute },
  /** Anyone from one place: short, for a proxy may stand there with everyone behind it. */
  address: { free: 50, forgottenAfterMs: minute, longestMs: minute / 2 },
  /** Mail to one person. */
  mail: { free: 3, forgottenAfterMs: 20 * minute, longestMs: 60 * minute },
} as const satisfies Readonly<Record<string, Rule>>;

/** One counter: what it counts, and by which rule. */
export interface Counter {
  readonly rule: keyof typeof rules;
  readonly of: string;
}

interface Row {
  readonly name: string;
  readonly full_until: number;
  readonly last_at: number;
}

/** The counters of an attempt to prove who somebody is. */
export function countersOf(email: string, clientIp: string): readonly Counter[] {
  const place = placeOf(clientIp);
  return [
    { rule: 'pair', of: `${place} ${email}` },
    { rule: 'person', of: email },
    { rule: 'address', of: place },
  ];
}

/**
 * Counts an attempt before its outcome is known, so that a thousand at once are counted as well.
 * @throws GatewayError `throttled` while an earlier attempt keeps others waiting; that one is then not counted
 */
export async function enter(operation: Operation, counters: readonly Counter[]): Promise<void> {
  const { db, now } = operation;
  const named = new Map(counters.map((counter) => [nameOf(operation, counter), rules[counter.rule]]));
  const names = [...named.keys()].sort();
  await db('login_attempts')
    .insert(names.map((name) => ({ name, full_until: 0, last_at: 0, touched_at: now })))
    .onConflict('name')
    .ignore();
  // Locks the rows: others who count the same wait here.
  await db('login_attempts').whereIn('name', names).update({ touched_at: now });
  const rows: Row[] = await db('login_attempts').whereIn('name', names).select('name', 'full_until', 'last_at');
  const wait = Math.max(0, ...rows.map((row) => waitOf(row, named.get(row.name), now)));
  if (wait > 0) {
    throw new GatewayError('throttled', `Too many attempts. Wait ${Math.ceil(wait / 1000)} seconds.`, {
      headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
    });
  }
  for (const row of rows) {
    const { forgottenAfterMs = 0 } = named.get(row.name) ?? {};
    // Clocks of processes differ: a moment never goes back.
    const full_until = Math.max(row.full_until, now) + forgottenAfterMs;
    await db('login_attempts')
      .where('name', row.name)
      .update({ full_until, last_at: Math.max(row.last_at, now) });
  }
}

/** After a success: the person's counters start again, and the place is not charged for this one. */
export async function forgive(operation: Operation, counters: readonly Counter[]): Promise<void> {
  const { db } = operation;
  for (const counter of counters) {
    const row = db('login_attempts').where('name', nameOf(operation, counter));
    if (counter.rule !== 'address') await row.delete();
    else await row.decrement('full_until', rules.address.forgottenAfterMs);
  }
}

function waitOf({ full_until, last_at }: Row, rule: Rule | undefined, now: number): number {
  if (rule === undefined || full_until <= last_at) return 0;
  const attempts = Math.ceil((full_until - last_at) / rule.forgottenAfterMs);
  if (attempts < rule.free) return 0;
  return Math.max(0, last_at + Math.min(rule.longestMs, firstWaitMs * 2 ** (attempts - rule.free)) - now);
}

/** The store does not tell who tried. */
function nameOf({ digest }: Operation, { rule, of }: Counter): string {
  return digest(`login ${rule} ${of}`);
}

/** One household has a whole network of IPv6 addresses: its /64 counts as one. */
export function placeOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const behind = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  return [...groups, ...Array<string>(zeros).fill('0'), ...behind]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
