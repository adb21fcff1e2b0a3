import { plugin, schema } from 'portcullis/sdk';

/** Waits for nothing that it begins, and all of it fails. */
export default plugin({
  config: schema.Object({}),
  setup: () => ({
    log: () => {
      void Promise.reject(new Error('nobody heard this'));
    },
  }),
});
