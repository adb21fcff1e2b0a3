import { provider } from 'portcullis/sdk';
import { authOf } from './auth.ts';
import { deployed, resource, streamUsage, withDeployment } from './deployment.ts';
import { settings } from './settings.ts';

/** https://learn.microsoft.com/azure/ai-foundry/openai/reference */
export default provider({
  settings,
  base: 'https://{azureResourceName}.openai.azure.com/openai',
  auth: authOf,
  headers: ({ settings: { openaiBeta } }) => ({
    'openai-beta': typeof openaiBeta === 'string' ? openaiBeta : undefined,
  }),
  endpoints: {
    chatComplete: { path: deployed('/chat/completions'), dialect: 'chat', request: withDeployment, streamUsage },
    complete: { path: deployed('/completions'), dialect: 'completions', request: withDeployment, streamUsage },
    embed: { path: deployed('/embeddings'), dialect: 'embeddings', request: withDeployment },
    createModelResponse: { path: resource('/responses'), dialect: 'responses', request: withDeployment },
    getModelResponse: { method: 'GET', path: resource('/responses/{id}') },
    deleteModelResponse: { method: 'DELETE', path: resource('/responses/{id}') },
    listResponseInputItems: { method: 'GET', path: resource('/responses/{id}/input_items') },
    listModels: { method: 'GET', path: resource('/models') },
    proxy: { path: '' },
  },
});
