import { type EmbeddingCall, type EmbeddingInput, type Embeddings, GatewayError } from 'portcullis/sdk';
import { tokensOf } from './text.ts';

const defaultDimensions = 8;
const maxDimensions = 4096;

/** Vectors of length 1 that depend on nothing but the input: the same text always lands in the same place. */
export function embed(call: EmbeddingCall): Embeddings {
  const dimensions = call.dimensions ?? defaultDimensions;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > maxDimensions) {
    throw new GatewayError('bad_request', `dimensions must be an integer from 1 to ${maxDimensions}.`, {
      param: 'dimensions',
    });
  }
  const tokens = call.input.reduce(
    (sum, input) => sum + (Array.isArray(input) ? input.length : tokensOf(textOf(input).length)),
    0,
  );
  return {
    model: call.model,
    vectors: call.input.map((input) => vectorOf(textOf(input), dimensions)),
    usage: { input: tokens, output: 0, total: tokens },
  };
}

function textOf(input: EmbeddingInput): string {
  if (typeof input === 'string') return input;
  return Array.isArray(input) ? input.join(' ') : JSON.stringify(input);
}

function vectorOf(text: string, dimensions: number): readonly number[] {
  const next = numbersFrom(hash(text));
  const raw = Array.from({ length: dimensions }, next);
  const length = Math.hypot(...raw) || 1;
  return raw.map((number) => number / length);
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

/** Numbers from -1 to 1 that follow from the seed (a linear congruential generator, constants of Numerical Recipes). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 0xffffffff) * 2 - 1;
  };
}
