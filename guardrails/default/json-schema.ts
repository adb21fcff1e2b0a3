import { check, type JsonObject, schema } from 'portcullis/sdk';
import { jsonCandidates } from './json-candidates.ts';
import { type JsonFault, jsonValidator } from './json-validator.ts';
import { notParameter, strict } from './parameters.ts';
import { judged } from './verdict.ts';

export default check({
  title: 'JSON schema',
  description: 'Passes when a JSON object or list in the text fits the schema.',
  config: schema.Object(
    {
      schema: schema.Unsafe<JsonObject>({
        type: 'object',
        maxProperties: 1000,
        description: 'A JSON Schema of draft 2020-12.',
      }),
      not: notParameter,
    },
    strict,
  ),
  phases: ['beforeRequest', 'afterRequest'],
  whole: true,
  prepare: ({ schema: wanted, not }) => ({ faultOf: jsonValidator(wanted), not }),
  run({ content }, { faultOf, not }) {
    let first: JsonFault | undefined;
    for (const candidate of jsonCandidates(content)) {
      const fault = faultOf(candidate);
      if (fault === undefined)
        return judged({
          holds: true,
          not,
          explanation: 'JSON in the text fits the schema.',
          text: content,
          data: { validationErrors: [] },
        });
      first ??= fault;
    }
    const explanation = first === undefined ? 'The text holds no JSON.' : 'No JSON in the text fits the schema.';
    const data = { validationErrors: first === undefined ? [] : [first] };
    return judged({ holds: false, not, explanation, text: content, data });
  },
});
