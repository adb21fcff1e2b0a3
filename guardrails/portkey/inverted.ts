import { schema } from 'portcullis/sdk';

/** The parameter that turns a verdict around. */
export const not = schema.Boolean({
  default: false,
  description: 'Passes what would fail, and fails what would pass.',
});
