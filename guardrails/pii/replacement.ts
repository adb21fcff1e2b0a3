import { createHash } from 'node:crypto';
import { GatewayError } from 'portcullis/sdk';
import type { Category } from './categories.ts';

/** Shorter values would be half told by their last four characters. */
const shortestShown = 12;

/** Puts something in the place of a value. */
export type Replace = (category: Category, value: string) => string;

const parts: Readonly<Record<string, Replace>> = {
  '{category}': (category) => category,
  '{mask}': (_, value) => (value.length < shortestShown ? '****' : `****${value.slice(-4)}`),
  '{hash}': (_, value) => createHash('sha256').update(value).digest('hex').slice(0, 12),
};

/** @throws GatewayError `invalid_config` for a placeholder that there is not */
export function replacing(template: string): Replace {
  const pieces = template.split(/(\{[^{}]*\})/).map((piece): Replace => {
    const part = Object.hasOwn(parts, piece) ? parts[piece] : undefined;
    if (part !== undefined) return part;
    if (!piece.startsWith('{')) return () => piece;
    const why = `replacement holds ${piece}, which is none of {category}, {mask} and {hash}.`;
    throw new GatewayError('invalid_config', why, { param: 'replacement' });
  });
  return (category, value) => pieces.map((piece) => piece(category, value)).join('');
}
