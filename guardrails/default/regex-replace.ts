import { check, type Edit, linearPattern, schema } from 'portcullis/sdk';
import { strict, unusable } from './parameters.ts';
import { replacementOf } from './replacement.ts';
import { excerpt } from './verdict.ts';

/** Of all texts together. */
const maxMatches = 100_000;
const withFlags = /^\/(.+)\/([dgimsuvy]*)$/s;
/** Flags of other languages, and in capitals; a path ends with other letters. */
const otherFlags = /^\/((?:[^/\\]|\\.)+)\/([dgimsuvyxGIMSUX]+)$/s;

export default check({
  title: 'Regex replace',
  description:
    'Replaces every match of the pattern in every text. JavaScript syntax without look-around and back-references, plain or as /pattern/flags.',
  config: schema.Object(
    {
      rule: schema.String({ minLength: 1, maxLength: 4096, description: 'The pattern.' }),
      redactText: schema.String({
        default: '[REDACTED]',
        maxLength: 1000,
        description: 'What takes the place of a match; $1, $<name> and $& stand for what was matched.',
      }),
      failOnDetection: schema.Boolean({
        default: false,
        description: 'Whether the check fails when something matches.',
      }),
    },
    strict,
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  prepare({ rule, redactText, failOnDetection }) {
    const [, source = rule, flags = ''] = withFlags.exec(rule) ?? otherFlags.exec(rule) ?? [];
    const pattern = linearPattern(source, flags, 'rule');
    if (pattern.test('')) throw unusable('rule', 'rule matches the empty text: there would be nothing to replace.');
    return { rule, failOnDetection, pattern, replace: replacementOf(redactText, pattern.groupCount, pattern.names) };
  },
  run({ texts }, { rule, failOnDetection, pattern, replace }) {
    const edits: Edit[] = [];
    for (const { index, text } of texts) {
      for (const match of pattern.all(text, maxMatches - edits.length)) {
        const end = match.index + match.text.length;
        if (match.text !== '') edits.push({ text: index, start: match.index, end, with: replace(match) });
      }
    }
    const pass = !failOnDetection || edits.length === 0;
    const explanation =
      edits.length === 0 ? 'The pattern does not match.' : `${edits.length} matches of the pattern were replaced.`;
    const data = { explanation, verdict: pass, matches: edits.length, regexPattern: excerpt(rule) };
    return { pass, why: explanation, data, ...(edits.length === 0 ? {} : { edits }) };
  },
});
