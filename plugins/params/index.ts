import { plugin, schema } from 'portcullis/sdk';
import { dropPaths } from './drop.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: () => ({
    prepare: ({ body, defaultParams, overrideParams, dropParams }) => {
      if (defaultParams === undefined && overrideParams === undefined && dropParams === undefined) return undefined;
      // A field that the client set to null is set: defaults are for what it left out.
      const merged = { ...defaultParams, ...body, ...overrideParams };
      return dropParams === undefined ? merged : dropPaths(merged, dropParams);
    },
  }),
});
