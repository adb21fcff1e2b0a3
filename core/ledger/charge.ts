import type { Cost, GivenUpReply, Usage } from 'portcullis/sdk';
import type { CountedUsage } from './finish-usage.ts';

/** What a request has come to. */
export interface Charge extends CountedUsage {
  readonly cost: Cost | undefined;
}

/** The charge of what served together with those of what did not. Unknown is what one of them has cost: so is the sum. */
export function chargedWith(served: Charge, givenUp: readonly GivenUpReply[]): Charge {
  let { usage, usageSource, cost } = served;
  for (const one of givenUp) {
    usage = usageSum(usage, one.usage);
    if (one.usageSource === 'estimated' || usageSource === undefined) usageSource = one.usageSource;
    cost = cost === undefined || one.cost === undefined ? undefined : costSum(cost, one.cost);
  }
  return { usage, usageSource, cost };
}

function costSum(one: Cost, other: Cost): Cost {
  const { source } = one.source === 'none' ? other : one;
  return { nanoUsd: one.nanoUsd + other.nanoUsd, parts: sums(one.parts, other.parts), source };
}

const counts = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'reasoning',
  'audioInput',
  'audioOutput',
  'imageInput',
  'imageOutput',
  'cacheReadAudio',
  'cacheReadImage',
  'acceptedPrediction',
  'rejectedPrediction',
] as const satisfies readonly (keyof Usage)[];

function usageSum(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const given = counts.filter((name) => one[name] !== undefined || other[name] !== undefined);
  const images = one.images ?? other.images;
  return {
    ...Object.fromEntries(given.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)])),
    input: one.input + other.input,
    output: one.output + other.output,
    total: totalOf(one) + totalOf(other),
    ...(one.billed === undefined && other.billed === undefined ? {} : { billed: billedSum(one, other) }),
    ...(images === undefined
      ? {}
      : { images: { ...images, count: (one.images?.count ?? 0) + (other.images?.count ?? 0) } }),
    ...(one.serverTools === undefined && other.serverTools === undefined
      ? {}
      : { serverTools: sums(one.serverTools ?? {}, other.serverTools ?? {}) }),
  };
}

function billedSum(first: Usage, second: Usage): NonNullable<Usage['billed']> {
  const [one, other] = [first.billed ?? first, second.billed ?? second];
  return { input: one.input + other.input, output: one.output + other.output };
}

function totalOf({ total, input, output }: Usage): number {
  return total ?? input + output;
}

function sums(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): Record<string, number> {
  const sum: Record<string, number> = { ...one };
  for (const [name, amount] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}
