import { check, linearPattern, type PatternMatch, schema } from 'portcullis/sdk';
import { notParameter, strict } from './parameters.ts';
import { excerpt, judged } from './verdict.ts';

const maxGroups = 30;
/** Above this, where a match stands is only said when that is soon found. */
const maxDetailed = 100_000;

export default check({
  title: 'Regex match',
  description:
    'Passes when the pattern matches somewhere in the text. JavaScript syntax without look-around and back-references; (?i) at the start ignores case.',
  config: schema.Object(
    { rule: schema.String({ minLength: 1, maxLength: 4096, description: 'The pattern.' }), not: notParameter },
    strict,
  ),
  phases: ['beforeRequest', 'afterRequest'],
  prepare: ({ rule, not }) => ({ rule, not, pattern: linearPattern(rule, '', 'rule') }),
  run({ text }, { rule, not, pattern }) {
    const where = pattern.engine === 'native' || text.length <= maxDetailed;
    const match = where ? pattern.exec(text) : undefined;
    const holds = where ? match !== undefined : pattern.test(text);
    const explanation = holds ? 'The pattern matches the text.' : 'The pattern does not match the text.';
    const matchDetails = match === undefined ? null : detailsOf(match);
    return judged({ holds, not, explanation, text, data: { matchDetails, regexPattern: excerpt(rule) } });
  },
});

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
