import type { CheckHost, CheckInput } from 'portcullis/sdk';
import { partsOf } from './parts.ts';
import { ask, type Question } from './question.ts';

/** Asks about each part of a text at once; a text without letters or signs has no parts. */
export function classify<Answer>(
  host: Pick<CheckHost, 'ask'>,
  model: string,
  question: Question<Answer>,
  { requestId }: Pick<CheckInput, 'requestId'>,
  text: string,
): Promise<readonly Answer[]> {
  if (text.trim() === '') return Promise.resolve([]);
  return Promise.all(partsOf(text).map((part) => ask(host, model, question, { text: part, requestId })));
}
