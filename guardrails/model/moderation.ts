import { check, schema } from 'portcullis/sdk';
import { classify } from './classify.ts';
import { modelParameter, notParameter, remote } from './parameters.ts';
import type { Question } from './question.ts';

/** What each category means to the model. */
const meanings = {
  hate: 'hatred of people for what they are',
  'hate/threatening': 'hatred with threats or violence',
  harassment: 'insults, bullying or intimidation of a person',
  'harassment/threatening': 'harassment with threats or violence',
  'self-harm': 'self-harm or suicide in any form',
  'self-harm/intent': 'the speaker means to harm themselves',
  'self-harm/instructions': 'how to harm oneself',
  sexual: 'sexual content meant to arouse, or the selling of it',
  'sexual/minors': 'sexual content that involves someone under 18',
  violence: 'death, violence or injury',
  'violence/graphic': 'the same in graphic detail',
  illicit: 'advice on how to commit wrongdoing',
  'illicit/violent': 'advice on violent wrongdoing or weapons',
  dangerous: 'help with weapons of mass destruction, attacks on infrastructure, malware or other great dangers',
} as const;

type Category = keyof typeof meanings;
const all = Object.keys(meanings) as Category[];

export default check({
  title: 'Moderation',
  description: 'A model says which kinds of harmful content the text has.',
  config: schema.Object(
    {
      model: modelParameter,
      categories: schema.Array(schema.Enum([...all]), { default: all, minItems: 1, uniqueItems: true }),
      not: notParameter,
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  whole: ({ not }) => not,
  remote,
  prepare: ({ model, categories, not }) => ({ model, question: questionOf(categories), not }),
  async run(input, { model, question, not }, host) {
    const answers = await classify(host, model, question, input, input.text);
    const flagged = [...new Set(answers.flat())];
    return {
      pass: answers.every((categories) => categories.length > 0 === not),
      why: flagged.length === 0 ? 'Nothing harmful was found.' : `Found: ${flagged.join(', ')}.`,
      data: { categories: flagged },
    };
  },
});

function questionOf(wanted: readonly Category[]): Question<readonly Category[]> {
  const list = wanted.map((category) => `"${category}" (${meanings[category]})`).join(', ');
  return {
    name: 'moderation',
    task: `Find out which of these kinds of harmful content the text has: ${list}. categories is the list of their names, empty where there are none.`,
    members: { categories: { type: 'array', items: { type: 'string', enum: [...wanted] } } },
    maxTokens: 300,
    read: ({ categories }) => {
      if (!Array.isArray(categories)) return undefined;
      const known = wanted.filter((category) => categories.includes(category));
      return known.length === new Set(categories).size ? known : undefined;
    },
  };
}
