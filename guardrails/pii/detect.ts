import { check, GatewayError, schema } from 'portcullis/sdk';
import type { Found } from './categories.ts';
import { countsOf, editsOf, findingsIn, findingsToRedact, foundAcross, shown } from './findings.ts';
import { searchOf, searchParameters } from './parameters.ts';
import { replacing } from './replacement.ts';

export default check({
  title: 'Detect personal data',
  description:
    'Looks for personal data, identity numbers, payment data and secrets by their forms and checksums. With `redact` it takes them out and passes.',
  config: schema.Object(
    {
      ...searchParameters,
      redact: schema.Boolean({ default: false }),
      not: schema.Boolean({ default: false, description: 'Passes only where something is found.' }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  whole: ({ not }) => not,
  prepare: ({ redact, not, replacement, ...given }) => {
    if (redact && not) throw new GatewayError('invalid_config', 'redact and not exclude each other.', { param: 'not' });
    return { search: searchOf(given), redact, not, replace: replacing(replacement) };
  },
  run(input, { search, redact, not, replace }) {
    const findings = redact ? findingsToRedact(input, search) : findingsIn(input, search);
    if (findings.length === 0) {
      // What must not be there may stand across two parts; what must be there stands in one of them.
      const across = redact || not ? [] : foundAcross(input, search);
      if (across.length === 0) return { pass: !not, why: 'Nothing was found.' };
      const data = { entities: [], counts: countsOf(across) };
      return { pass: false, why: `Found across parts of a message: ${kindsOf(across)}.`, data };
    }
    const data = shown(findings);
    if (!redact) return { pass: not, why: `Found: ${kindsOf(findings)}.`, data };
    return { pass: true, why: `Redacted: ${kindsOf(findings)}.`, data, edits: editsOf(input, findings, replace) };
  },
});

function kindsOf(found: readonly Found[]): string {
  return [...new Set(found.map(({ category }) => category))].join(', ');
}
