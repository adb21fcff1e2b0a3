import Type from '../type-builders.ts';
import { anyObject, closedCases, flag, nullable, object, oneOf, openCases, text, textOrArray } from './fields.ts';

export const cacheControl = nullable(object({ type: oneOf('ephemeral') }, { ttl: oneOf('5m', '1h') }));

const textBlock = object({ text }, { cache_control: cacheControl });

const block = openCases('type', {
  text: textBlock,
  image: object({ source: openCases('type', {}) }),
  document: object({ source: openCases('type', {}) }),
  thinking: object({ thinking: text }),
  redacted_thinking: object({ data: text }),
  tool_use: object({ id: text, name: text, input: anyObject }),
  tool_result: object(
    { tool_use_id: text },
    {
      content: textOrArray(openCases('type', { text: textBlock }), {
        accepts: 'a string or an array of content blocks',
      }),
      is_error: flag,
    },
  ),
});

const content = textOrArray(block, { accepts: 'a string or an array of content blocks' });
const textContent = textOrArray(closedCases('type', { text: textBlock }), {
  accepts: 'a string or an array of text blocks',
});

const message = closedCases('role', {
  user: object({ content }),
  assistant: object({ content }),
  system: object({ content: textContent }),
});

/** 1 to 100,000 turns; block types that the format adds later pass. */
export const turns = Type.Array(message, {
  minItems: 1,
  maxItems: 100_000,
  accepts: 'an array of 1 to 100000 messages',
});

export const system = textContent;
