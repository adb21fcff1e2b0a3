import type { TSchema } from 'typebox';
import Type from '../type-builders.ts';
import { choose } from './fields.ts';

const tokens = { type: 'array', items: { type: 'integer' }, minItems: 1 };

function startsWith(type: string) {
  return { minItems: 1, prefixItems: [{ type }] };
}

/**
 * A text, or an array that holds only texts, only integers or only arrays of integers. The first item decides, so that
 * a refusal names the item that does not fit.
 * @param mixed keywords of what may stand in the place of a text in a list
 */
export function textOrTokens(
  item: object,
  bounds: { minItems?: number; maxItems?: number },
  mixed: object = {},
): TSchema {
  const { minItems, maxItems } = bounds;
  const size = minItems === undefined ? '' : `${minItems} to ${maxItems} `;
  const lists = { ...tokens, accepts: 'a string, an integer or an array of at least 1 integer' };
  const rest = choose(startsWith('object'), { items: { ...item, ...mixed } }, { items: lists });
  return Type.Unsafe({
    ...item,
    type: ['string', 'array'],
    ...bounds,
    accepts: `a ${'pattern' in item ? 'non-empty ' : ''}string, or an array of ${size}strings, integers or arrays of integers`,
    ...choose(
      startsWith('string'),
      { items: { ...item, ...mixed } },
      choose(startsWith('integer'), { items: { type: 'integer' } }, 'type' in mixed ? rest : { items: lists }),
    ),
  });
}
