import type { TSchema } from 'typebox';
import Type from '../type-builders.ts';
import { choose, object, oneOf, openCases, text, textOrArray } from './fields.ts';

const part = openCases('type', {
  input_text: object({ text }),
  output_text: object({ text }),
  refusal: object({ refusal: text }),
});

const message = object({
  role: oneOf('user', 'assistant', 'system', 'developer'),
  content: textOrArray(part, { accepts: 'a string or an array of content parts' }),
});

const typed = openCases('type', {
  message,
  function_call: object({ call_id: text, name: text, arguments: text }),
  function_call_output: object({
    output: textOrArray(openCases('type', { input_text: object({ text }) }), {
      accepts: 'a string or an array of content parts',
    }),
  }),
  item_reference: object({ id: text }),
});

/** Messages and references may leave their type out; a role tells which of the two it is. */
const untyped = choose({ required: ['id'], not: { required: ['role'] } }, object({ id: text }), message);

const item: TSchema = Type.Unsafe({
  type: 'object',
  ...choose({ properties: { type: { type: 'null' } } }, untyped, typed),
});

/** A text, or items in order; item and part types that the format adds later pass. */
export const input = textOrArray(item, { accepts: 'a string or an array of items' });
