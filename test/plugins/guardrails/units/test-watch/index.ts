import { type JsonObject, plugin, schema } from 'portcullis/sdk';

/** Logs each record as it is, for tests that look at what guardrails add to it. */
export default plugin({
  config: schema.Object({}),
  setup: (_, host) => ({
    log: (record) => host.log.info('record', { record: JSON.parse(JSON.stringify(record)) as JsonObject }),
  }),
});
