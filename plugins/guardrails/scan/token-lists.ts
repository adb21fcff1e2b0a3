import { asArray, asObject } from 'portcullis/sdk';
import type { Draft } from './draft.ts';
import type { Fragment } from './reading.ts';

/** Takes the list of tokens from each answer that was edited: it would tell the text once more, as it was. */
export function forgetTokens(draft: Draft, edited: Iterable<Fragment>): void {
  for (const { path } of edited) {
    const [list, index, field, part] = path;
    if (list === 'message' && (draft.body.logprobs ?? null) !== null) draft.put(['logprobs'], null);
    if (typeof index !== 'number') continue;
    if (list === 'choices') {
      const logprobs = asObject(asArray(draft.body.choices)[index])?.logprobs;
      if (logprobs !== undefined && logprobs !== null) draft.put(['choices', index, 'logprobs'], null);
    } else if (list === 'candidates') {
      const tokens = asObject(asArray(draft.body.candidates)[index])?.logprobsResult;
      if (tokens !== undefined && tokens !== null) draft.put(['candidates', index, 'logprobsResult'], null);
    } else if (list === 'output' && field === 'content' && typeof part === 'number') {
      const content = asObject(asArray(draft.body.output)[index])?.content;
      if (asArray(asObject(asArray(content)[part])?.logprobs).length > 0)
        draft.put(['output', index, 'content', part, 'logprobs'], []);
    }
  }
}
