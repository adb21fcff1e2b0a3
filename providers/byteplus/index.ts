import { provider, publishedFiles, schema, secret } from 'portcullis/sdk';
import { fileOf, pictures } from './documents.ts';

const files = publishedFiles();

/**
 * Source: https://docs.byteplus.com/en/docs/ModelArk/1298454 (chat), https://docs.byteplus.com/en/docs/ModelArk/1541523
 * (pictures), https://github.com/volcengine/volcengine-python-sdk (files), https://docs.byteplus.com/en/docs/ModelArk/1585128
 * (responses) and https://docs.byteplus.com/en/docs/ModelArk/1299023 (errors). Keys belong to a region; others than
 * ap-southeast are reached with `custom_host`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'ARK_API_KEY' }) }),
  base: 'https://ark.ap-southeast.bytepluses.com/api/v3',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat', reasoningField: 'reasoning_content' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    imageGenerate: { path: '/images/generations', dialect: 'images', repair: pictures },
    uploadFile: { ...files.uploadFile, repair: fileOf },
    listFiles: { ...files.listFiles, repair: fileOf },
    retrieveFile: { ...files.retrieveFile, repair: fileOf },
    deleteFile: files.deleteFile,
    proxy: { path: '' },
  },
});
