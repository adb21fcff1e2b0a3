import fc from 'fast-check';
import type { Choice, Completion, Part } from '../../../../sdk/dialects/neutral.ts';

const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const word = fc.stringMatching(/^[a-z]{1,8}$/);

const textPart = text.map((value): Part => ({ type: 'text', text: value }));
const refusal = text.map((value): Part => ({ type: 'refusal', text: value }));
const thinking = fc
  .record({ text, signature: fc.option(word, { nil: undefined }) })
  .map((made): Part => ({ type: 'thinking', text: made.text, ...(made.signature && { signature: made.signature }) }));
const redacted = word.map((data): Part => ({ type: 'redacted-thinking', data }));
const call = fc
  .record({
    id: fc.uuid(),
    name: word,
    args: fc.dictionary(word, text, { maxKeys: 3 }),
    signature: fc.option(text, { nil: undefined }),
  })
  .map(
    (made): Part => ({
      type: 'tool-call',
      id: `call_${made.id}`,
      name: made.name,
      arguments: JSON.stringify(made.args),
      ...(made.signature && { signature: made.signature }),
    }),
  );

/** Parts that every format with thinking and tools can say. */
export const plainParts = fc.array(fc.oneof(textPart, thinking, redacted, call), { maxLength: 6 });
export const anyParts = fc.array(fc.oneof(textPart, refusal, thinking, redacted, call), { maxLength: 6 });

const usage = fc.record({ input: fc.nat(1000), output: fc.nat(1000) }, { requiredKeys: ['input', 'output'] });

/** Whole answers of one to three choices. */
export function completionOf(parts: fc.Arbitrary<readonly Part[]>): fc.Arbitrary<Completion> {
  const content = fc.record({ parts, length: fc.boolean() });
  return fc
    .record({
      choices: fc.array(content, { minLength: 1, maxLength: 3 }),
      created: fc.nat(2_000_000_000),
      usage,
      id: word,
    })
    .map((made) => ({
      id: made.id,
      model: 'm',
      created: made.created,
      choices: made.choices.map((choice, index): Choice => {
        const called = choice.parts.some((part) => part.type === 'tool-call');
        return { index, parts: choice.parts, finish: choice.length ? 'length' : called ? 'tool_calls' : 'stop' };
      }),
      usage: { ...made.usage, total: made.usage.input + made.usage.output },
    }));
}
