import { check, schema } from 'portcullis/sdk';
import { notParameter, strict } from './parameters.ts';
import { excerpt, judged } from './verdict.ts';

export default check({
  title: 'Ends with',
  description: 'Passes when the text ends with the suffix, or with the suffix and a full stop.',
  config: schema.Object(
    { suffix: schema.String({ minLength: 1, maxLength: 10_000, description: 'The end.' }), not: notParameter },
    strict,
  ),
  phases: ['beforeRequest', 'afterRequest'],
  whole: true,
  run({ content }, { suffix, not }) {
    const holds = content.endsWith(suffix) || content.endsWith(`${suffix}.`);
    const explanation = holds ? 'The text ends with the suffix.' : 'The text does not end with the suffix.';
    return judged({ holds, not, explanation, text: content, data: { suffix: excerpt(suffix) } });
  },
});
