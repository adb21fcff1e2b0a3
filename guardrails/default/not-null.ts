import { check, schema } from 'portcullis/sdk';
import { notParameter, strict } from './parameters.ts';
import { judged } from './verdict.ts';

export default check({
  title: 'Not null',
  description: 'Passes when the reply holds more than white space, or asks for tools to be run.',
  config: schema.Object({ not: notParameter }, strict),
  phases: ['afterRequest'],
  // What a reply thinks first is no answer yet.
  whole: ({ not }) => !not,
  run({ content, callsTools }, { not }) {
    if (callsTools) {
      const explanation = 'The reply asks for tools to be run, so it needs no text.';
      return { pass: true, why: explanation, data: { explanation, not, verdict: true, isNull: !/\S/.test(content) } };
    }
    const holds = /\S/.test(content);
    const explanation = holds ? 'The reply holds text.' : 'The reply is empty.';
    return judged({ holds, not, explanation, text: content, data: { isNull: !holds } });
  },
});
