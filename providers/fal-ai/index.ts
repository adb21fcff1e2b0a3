import { provider, schema, secret } from 'portcullis/sdk';
import { editFlow, imagesReply, inputOf, modelPath } from './images.ts';

/**
 * Source: the API page of each model, such as https://fal.ai/models/fal-ai/flux/dev/api and
 * https://fal.ai/models/fal-ai/nano-banana/edit/api: the model is the path, and its page names its inputs. `b64_json` is its
 * `sync_mode`. Chat: https://fal.ai/models/openrouter/router. Work that takes minutes belongs to the queue, https://queue.fal.run, which `custom_host` reaches.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'FAL_KEY' }) }),
  base: 'https://fal.run',
  auth: { kind: 'bearer', from: 'apiKey', scheme: 'Key' },
  endpoints: {
    // Models of other vendors, such as google/gemini-2.5-flash, by way of a router.
    chatComplete: {
      path: '/openrouter/router/openai/v1/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning',
    },
    imageGenerate: { path: modelPath, dialect: 'images', request: inputOf, repair: imagesReply },
    imageEdit: { path: modelPath, dialect: 'images', flow: editFlow },
    proxy: { path: '' },
  },
});
