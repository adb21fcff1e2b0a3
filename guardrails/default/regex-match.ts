import { check, type LinearPattern, linearPattern, type PatternMatch, schema, seamless } from 'portcullis/sdk';
import { notParameter, strict } from './parameters.ts';
import { excerpt, judged } from './verdict.ts';

const maxGroups = 30;
/** Above this, where a match stands is only said when that is soon found. */
const maxDetailed = 100_000;

export default check({
  title: 'Regex match',
  description:
    'Passes when the pattern matches somewhere in the text. JavaScript syntax without look-around and back-references; (?i) at the start ignores case. With `not`, parts of one message are looked at without a break between them too.',
  config: schema.Object(
    { rule: schema.String({ minLength: 1, maxLength: 4096, description: 'The pattern.' }), not: notParameter },
    strict,
  ),
  phases: ['beforeRequest', 'afterRequest'],
  whole: ({ not }) => !not,
  prepare: ({ rule, not }) => ({ rule, not, pattern: linearPattern(rule, '', 'rule') }),
  run({ text, texts }, { rule, not, pattern }) {
    const written = found(pattern, text);
    // What must not be there may stand across two parts; what must be there has to stand in the text as it is.
    const joined = written.holds || !not ? undefined : seamless(texts);
    const { holds, match } = joined === undefined ? written : found(pattern, joined);
    const explanation = holds ? 'The pattern matches the text.' : 'The pattern does not match the text.';
    const matchDetails = match === undefined ? null : detailsOf(match);
    return judged({ holds, not, explanation, text, data: { matchDetails, regexPattern: excerpt(rule) } });
  },
});

function found(pattern: LinearPattern, text: string): { readonly holds: boolean; readonly match?: PatternMatch } {
  if (pattern.engine !== 'native' && text.length > maxDetailed) return { holds: pattern.test(text) };
  const match = pattern.exec(text);
  return match === undefined ? { holds: false } : { holds: true, match };
}

function detailsOf({ text, index, named, groups }: PatternMatch) {
  const shown = (group: string | undefined) => (group === undefined ? null : excerpt(group));
  const names = Object.entries(named).slice(0, maxGroups);
  return {
    matchedText: excerpt(text),
    index,
    groups: Object.fromEntries(names.map(([name, group]) => [name, shown(group)])),
    captures: groups.slice(0, maxGroups).map(shown),
  };
}
