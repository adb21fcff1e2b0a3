import { provider, schema, secret } from 'portcullis/sdk';
import { transcribe } from './transcribe.ts';

/**
 * Source: https://github.com/AssemblyAI/assemblyai-api-spec. Sound is uploaded, a transcript asked for and waited for; what the
 * client gives beside the fields of the shared format is an option of the transcript. Europe has a host of its own,
 * https://api.eu.assemblyai.com/v2, which `custom_host` reaches. The key travels bare.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'ASSEMBLYAI_API_KEY' }) }),
  base: 'https://api.assemblyai.com/v2',
  auth: { kind: 'header', name: 'authorization', from: 'apiKey' },
  endpoints: {
    createTranscription: { path: '/upload', dialect: 'transcriptions', flow: transcribe },
    proxy: { path: '' },
  },
});
