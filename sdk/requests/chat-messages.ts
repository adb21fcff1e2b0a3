import Type from '../type-builders.ts';
import { toolCalls } from './chat-tools.ts';
import { anyObject, choose, closedCases, nullable, object, openCases, text, textOrArray } from './fields.ts';

/** Some compatible providers take the URL itself where the format has an object. */
const imageUrl = Type.Unsafe({
  type: ['string', 'object'],
  accepts: 'an object with a url',
  ...choose({ type: 'object' }, object({ url: text }, { detail: text })),
});

const part = openCases('type', {
  text: object({ text }),
  image_url: object({ image_url: imageUrl }),
  input_audio: object({ input_audio: object({ data: text, format: text }) }),
  file: object({ file: anyObject }),
  refusal: object({ refusal: text }),
});

const content = textOrArray(part, { accepts: 'a string or an array of content parts' });
const named = { name: text };

const message = closedCases('role', {
  system: object({ content }, named),
  developer: object({ content }, named),
  user: object({ content }, named),
  assistant: object(
    {},
    {
      content: nullable(textOrArray(part, { accepts: 'a string, an array of content parts or null' })),
      tool_calls: nullable(toolCalls),
      function_call: nullable(object({ name: text, arguments: text })),
      refusal: nullable(text),
      audio: nullable(object({ id: text })),
      ...named,
    },
  ),
  tool: object({ content, tool_call_id: text }),
  function: object({ content: nullable(text), name: text }),
});

/** At least one message; what each role holds is checked, fields and part types that the format adds later pass. */
export const messages = Type.Array(message, { minItems: 1, accepts: 'an array of at least 1 message' });
