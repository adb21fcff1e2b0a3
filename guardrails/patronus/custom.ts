import { type CheckHost, check, schema } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { type Evaluator, timeoutMs } from './evaluate.ts';
import { judge } from './judged.ts';

export default check({
  title: 'Patronus custom evaluator',
  config: schema.Object(
    {
      profile: schema.String({
        minLength: 1,
        maxLength: 512,
        pattern: '^[^:]+(:.+)?$',
        description: 'evaluator:criteria, or criteria alone for the evaluator judge.',
      }),
    },
    { additionalProperties: false },
  ),
  phases: ['afterRequest'],
  // What criteria of others ask for is not known here.
  whole: true,
  remote: { timeoutMs },
  prepare: ({ profile }): Evaluator => {
    const colon = profile.indexOf(':');
    // The vendor's own criteria are named so; no evaluator is.
    if (colon === -1 || profile.startsWith('patronus:')) return { evaluator: 'judge', criteria: profile };
    return { evaluator: profile.slice(0, colon), criteria: profile.slice(colon + 1) };
  },
  run: (input, evaluator, host: CheckHost<Credentials>) =>
    judge(host, evaluator, `The answer does not meet the criteria ${evaluator.criteria}.`, input),
});
