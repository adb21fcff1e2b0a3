import { plugin, schema } from 'portcullis/sdk';
import { analyticsActions } from './actions.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: () => ({}),
  control: (host) => ({ actions: analyticsActions(host) }),
});
