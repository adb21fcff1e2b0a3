import { plugin, schema } from 'portcullis/sdk';
import { loadReference } from './loader.ts';
import { secretReferences } from './resource.ts';
import { resolveSecrets } from './settings.ts';
import { migrations } from './table.ts';
import { forgetWorkspace } from './workspaces.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: (_, host) => ({ secrets: resolveSecrets(host) }),
  control: (host) => ({
    resources: [secretReferences(host)],
    loaders: { secretReference: loadReference },
    reactions: { 'workspaces.removed': forgetWorkspace },
  }),
});
