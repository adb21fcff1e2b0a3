import { check, schema } from 'portcullis/sdk';
import { notParameter, strict } from './parameters.ts';
import { judged } from './verdict.ts';

const config = schema.Object({ not: notParameter }, strict);

export const allUpperCase = check({
  title: 'All upper case',
  description: 'Passes when the text holds no lower-case letter.',
  config,
  phases: ['beforeRequest', 'afterRequest'],
  whole: ({ not }) => not,
  run({ content }, { not }) {
    const holds = content === content.toUpperCase();
    const explanation = holds ? 'All letters are upper case.' : 'Some letters are not upper case.';
    return judged({ holds, not, explanation, text: content });
  },
});

export const allLowerCase = check({
  title: 'All lower case',
  description: 'Passes when the text holds no upper-case letter.',
  config,
  phases: ['beforeRequest', 'afterRequest'],
  whole: ({ not }) => not,
  run({ content }, { not }) {
    const holds = content === content.toLowerCase();
    const explanation = holds ? 'All letters are lower case.' : 'Some letters are not lower case.';
    return judged({ holds, not, explanation, text: content });
  },
});
