import { check, schema } from 'portcullis/sdk';

/** Looks at the text alone: it calls nobody and keeps nothing. */
export const words = check({
  title: 'Words',
  description: 'Fails texts that hold one of the words, whatever their case.',
  config: schema.Object(
    {
      words: schema.Array(schema.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 100,
        description: 'What must not be in the text.',
      }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  prepare: ({ words: listed }) => listed.map((word) => word.toLowerCase()),
  run: ({ text }, listed) => {
    const lower = text.toLowerCase();
    const found = listed.filter((word) => lower.includes(word)).length;
    return { pass: found === 0, why: `${found} of ${listed.length} words are in the text.`, data: { found } };
  },
});
