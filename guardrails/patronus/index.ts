import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import custom from './custom.ts';
import { entities } from './entities.ts';
import { judged } from './judged.ts';

const judge = (criteria: string, title: string, fault: string, whole = false) =>
  judged({ evaluator: 'judge', criteria: `patronus:${criteria}`, title: `Patronus: ${title}`, fault, whole });

/** Source: https://docs.patronus.ai/docs/evaluation_api/reference_guide */
export default guardrail({
  credentials,
  checks: {
    isConcise: judge('is-concise', 'concise', 'The answer is not concise.', true),
    isHelpful: judge('is-helpful', 'helpful', 'The answer is not helpful.', true),
    isPolite: judge('is-polite', 'polite', 'The answer is not polite.', true),
    noApologies: judge('no-apologies', 'no apologies', 'The answer apologises.'),
    noGenderBias: judge('no-gender-bias', 'no gender bias', 'The answer is biased about gender.'),
    noRacialBias: judge('no-racial-bias', 'no racial bias', 'The answer is biased about race.'),
    retrievalAnswerRelevance: judged({
      evaluator: 'answer-relevance',
      title: 'Patronus: relevance of the answer',
      fault: 'The answer is not about the question.',
      whole: true,
    }),
    retrievalHallucination: judged({
      evaluator: 'lynx',
      criteria: 'patronus:hallucination',
      title: 'Patronus: hallucination',
      fault: 'The answer is not backed by what it was given.',
      grounded: true,
      whole: true,
    }),
    toxicity: judged({ evaluator: 'toxicity', title: 'Patronus: toxicity', fault: 'The answer is toxic.' }),
    phi: entities('phi', 'Patronus: health data', 'protected health information'),
    pii: entities('pii', 'Patronus: personal data', 'personal data'),
    custom,
  },
});
