import { check, schema } from 'portcullis/sdk';
import { editsOf, findingsToRedact, shown } from './findings.ts';
import { searchOf, searchParameters } from './parameters.ts';
import { replacing } from './replacement.ts';

export default check({
  title: 'Redact personal data',
  description: 'Takes personal data, identity numbers, payment data and secrets out of the texts.',
  config: schema.Object(searchParameters, { additionalProperties: false }),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'only',
  prepare: ({ replacement, ...given }) => ({ search: searchOf(given), replace: replacing(replacement) }),
  run(input, { search, replace }) {
    const findings = findingsToRedact(input, search);
    if (findings.length === 0) return { pass: true };
    return { pass: true, data: shown(findings), edits: editsOf(input, findings, replace) };
  },
});
