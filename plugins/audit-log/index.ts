import { plugin, schema } from 'portcullis/sdk';
import { list } from './list.ts';
import { retention, retentionDays } from './retention.ts';
import { migrations } from './table.ts';
import { write } from './write.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: () => ({}),
  control: (host) => ({
    actions: [list],
    jobs: [retention(host, retentionDays(host.env('AUDIT_RETENTION_DAYS')))],
    audit: (event, db) => write(event, db, { id: host.newId(), now: host.now() }),
  }),
});
