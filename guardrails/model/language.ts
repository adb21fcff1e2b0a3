import { asString, check, schema } from 'portcullis/sdk';
import { classify } from './classify.ts';
import { isSame, type Language, languageOf, languageOfCode } from './language-names.ts';
import { modelParameter, notParameter, remote } from './parameters.ts';
import type { Question } from './question.ts';

const question: Question<Language> = {
  name: 'language',
  task: 'Find out in which natural language most of the text is written. language is its ISO 639-1 code, or its ISO 639-3 code where there is none, or "und" where there is no natural language in it. script is the ISO 15924 code of the script, such as Latn, Hans or Hant.',
  members: { language: { type: 'string' }, script: { type: 'string' } },
  maxTokens: 100,
  read: ({ language, script }) => {
    const code = asString(language) ?? '';
    const known = code === 'und' ? { code, script: undefined } : languageOfCode(code);
    if (known === undefined || typeof script !== 'string' || !/^[A-Za-z]{4}$/.test(script)) return undefined;
    return code === 'und' ? known : languageOfCode(`${known.code}-${script}`);
  },
};

export default check({
  title: 'Language',
  description: 'A model says in which language the text is; it must be one of those that are listed.',
  config: schema.Object(
    {
      model: modelParameter,
      language: schema.Unsafe<string | readonly string[]>({
        anyOf: [
          { type: 'string', minLength: 2, maxLength: 64 },
          { type: 'array', items: { type: 'string', minLength: 2, maxLength: 64 }, minItems: 1, maxItems: 200 },
        ],
        description: 'ISO 639-1 codes (`en`), English names (`English`) or FLORES codes (`eng_Latn`).',
      }),
      not: notParameter,
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  // A few words tell no language.
  whole: true,
  remote,
  prepare: ({ model, language, not }) => ({
    model,
    wanted: (typeof language === 'string' ? [language] : language).map(languageOf),
    not,
  }),
  async run(input, { model, wanted, not }, host) {
    const found = await classify(host, model, question, input, input.content);
    const languages = [...new Set(found.map(({ code }) => code))];
    return {
      pass: found.every((language) => wanted.some((each) => isSame(language, each)) !== not),
      why: languages.length === 0 ? 'There is no text.' : `The language is ${languages.join(', ')}.`,
      data: { languages },
    };
  },
});
