import { join } from 'node:path';
import { plugin, schema } from 'portcullis/sdk';
import { logExports } from './exports/resource.ts';
import { migrations } from './exports/table.ts';
import { exportFiles } from './exports/writer.ts';
import { feedbackActions } from './feedback.ts';
import { insertAction } from './insert/action.ts';
import { readActions } from './read/actions.ts';
import { logPhase } from './record/log-phase.ts';
import { retention } from './retention.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: (_, host) => ({ log: logPhase(host) }),
  control: (host) => {
    const files = exportFiles(host, join(host.env('DATA_DIR') || 'data', 'exports'));
    return {
      resources: [logExports(host, files)],
      actions: [insertAction(host), ...readActions(host), ...feedbackActions(host)],
      jobs: [retention(host), { name: 'logs.exports', schedule: '* * * * *', run: () => files.tidy() }],
      close: () => files.close(),
    };
  },
});
