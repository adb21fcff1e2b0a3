import { azureAuth, azureEndpoints, type CallFacts, provider } from 'portcullis/sdk';
import { chatRequest, deployed, realtime, resource, streamUsage, withDeployment } from './deployment.ts';
import { settings } from './settings.ts';

const inference = (path: string) => (facts: CallFacts) => deployed(path, facts);

/** https://learn.microsoft.com/azure/ai-foundry/openai/reference */
export default provider({
  settings,
  base: 'https://{azureResourceName}.openai.azure.com/openai',
  auth: (given) =>
    azureAuth(given, { provider: 'azure-openai', key: { kind: 'header', name: 'api-key', from: 'apiKey' } }),
  headers: ({ settings: { openaiBeta } }) => ({
    'openai-beta': typeof openaiBeta === 'string' ? openaiBeta : undefined,
  }),
  endpoints: {
    ...azureEndpoints({ deployed, resource, realtime, request: withDeployment }),
    chatComplete: { path: inference('/chat/completions'), dialect: 'chat', request: chatRequest, streamUsage },
    complete: { path: inference('/completions'), dialect: 'completions', request: withDeployment, streamUsage },
  },
});
