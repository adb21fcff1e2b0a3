import { check, schema } from 'portcullis/sdk';
import { met, wanted } from './metadata-operator.ts';
import { choice, strict, strings } from './parameters.ts';

export default check({
  title: 'Required metadata keys',
  description: 'Looks which keys the metadata of the request have.',
  config: schema.Object(
    {
      metadataKeys: strings('The keys.', { maxItems: 100, maxLength: 128 }),
      operator: choice(['all', 'any', 'none'], 'Whether all of them must be there, any, or none.'),
    },
    strict,
  ),
  phases: ['beforeRequest'],
  scans: false,
  run({ metadata }, { metadataKeys, operator }) {
    const found = metadataKeys.filter((key) => Object.hasOwn(metadata, key));
    const missing = metadataKeys.filter((key) => !found.includes(key));
    const pass = met(operator, found.length, metadataKeys.length);
    const explanation = `The metadata have ${found.length} of ${metadataKeys.length} keys; expected ${wanted[operator]}.`;
    const keys = { found_metadata_keys: found, missing_metadata_keys: missing };
    return { pass, why: explanation, data: { explanation, verdict: pass, operator, ...keys } };
  },
});
