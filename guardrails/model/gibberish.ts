import { asBoolean, check, schema } from 'portcullis/sdk';
import { classify } from './classify.ts';
import { modelParameter, notParameter, remote } from './parameters.ts';
import type { Question } from './question.ts';

const question: Question<boolean> = {
  name: 'gibberish',
  task: 'Find out whether the text is gibberish: random characters or words, or noise that means nothing in any language. Code, data, names, slang and bad spelling are no gibberish. gibberish is true or false.',
  members: { gibberish: { type: 'boolean' } },
  maxTokens: 100,
  read: ({ gibberish }) => asBoolean(gibberish),
};

export default check({
  title: 'Gibberish',
  description: 'A model says whether the text means something.',
  config: schema.Object({ model: modelParameter, not: notParameter }, { additionalProperties: false }),
  phases: ['beforeRequest', 'afterRequest'],
  whole: ({ not }) => not,
  remote,
  async run(input, { model, not }, host) {
    const answers = await classify(host, model, question, input, input.content);
    return {
      pass: answers.every((gibberish) => gibberish === not),
      why: answers.includes(true) ? 'The text is gibberish.' : 'The text is no gibberish.',
      data: { gibberish: answers.includes(true) },
    };
  },
});
