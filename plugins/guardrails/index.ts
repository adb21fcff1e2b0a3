import { plugin, schema } from 'portcullis/sdk';
import { acceptFile } from './definition/file.ts';
import { guardrailHooks } from './guardrail-hooks.ts';
import { guardrailControl } from './records/index.ts';
import { migrations } from './records/table.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: async (_, host) => {
    await acceptFile(host);
    return guardrailHooks(host);
  },
  control: guardrailControl,
});
