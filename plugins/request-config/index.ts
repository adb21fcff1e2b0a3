import { plugin, schema } from 'portcullis/sdk';
import { fileConfigs } from './file-configs.ts';
import { workspaceConfigs } from './workspace-configs.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: (_, host) => {
    const ofFile = fileConfigs(host);
    const ofWorkspace = workspaceConfigs(host);
    return {
      resolve: (request) => {
        const { access } = request.principal;
        return access === undefined ? ofFile(request) : ofWorkspace(request, access);
      },
    };
  },
});
