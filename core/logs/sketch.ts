/**
 * Counts of durations in buckets whose bounds grow by 2.02 %: a quantile read from them is within 1 % of the true one, and
 * two sketches are merged by adding their counts.
 */
export type Sketch = Map<number, number>;

const accuracy = 0.01;
const gamma = (1 + accuracy) / (1 - accuracy);
export const logGamma = Math.log(gamma);
/** A microsecond; what is shorter counts as one. */
export const shortestMs = 0.001;
/** About three years. */
const longestMs = 1e11;

/** The bucket of a duration in milliseconds. */
export function sketchBucket(ms: number): number {
  const bounded = Math.min(Math.max(ms, shortestMs), longestMs);
  return Math.ceil(Math.log(bounded) / logGamma);
}

export function addToSketch(sketch: Sketch, bucket: number, count: number): void {
  sketch.set(bucket, (sketch.get(bucket) ?? 0) + count);
}

/** Milliseconds that the share of the values does not pass, by the nearest rank; undefined: there are none. */
export function quantileOf(sketch: Sketch, share: number): number | undefined {
  const buckets = [...sketch].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  const rank = nearestRank(share, total);
  let before = 0;
  for (const [bucket, count] of buckets) {
    before += count;
    if (before > rank) return (2 * gamma ** bucket) / (gamma + 1);
  }
  return undefined;
}

/** Where among so many sorted values, counted from 0, the least stands that the share of them does not pass. */
export function nearestRank(share: number, total: number): number {
  // 0.95 * 20 and the like may be a little more than they are.
  return Math.max(0, Math.ceil(share * total - 1e-9) - 1);
}

/** Pairs of a step to the next bucket and its count, each as a variable-length integer. */
export function encodeSketch(sketch: Sketch): Uint8Array {
  const bytes: number[] = [];
  let last = 0;
  for (const [bucket, count] of [...sketch].sort(([a], [b]) => a - b)) {
    const step = bucket - last;
    last = bucket;
    pushInteger(bytes, step < 0 ? -2 * step - 1 : 2 * step);
    pushInteger(bytes, count);
  }
  return Uint8Array.from(bytes);
}

/** Adds an encoded sketch to another, or takes it away. */
export function mergeEncoded(into: Sketch, bytes: Uint8Array, sign: 1 | -1 = 1): void {
  let at = 0;
  let bucket = 0;
  const next = () => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  while (at < bytes.length) {
    const folded = next();
    bucket += folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
    addToSketch(into, bucket, sign * next());
  }
}

function pushInteger(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}
