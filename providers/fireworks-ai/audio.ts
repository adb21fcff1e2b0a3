import { asObjects, asString, type Endpoints, type Flow, type JsonObject, type ReplyFacts } from 'portcullis/sdk';

/** Each model for speech has a host: https://docs.fireworks.ai/guides/querying-asr-models */
const hostOf = (model: string) =>
  model.includes('turbo') ? 'https://audio-turbo.api.fireworks.ai' : 'https://audio-prod.api.fireworks.ai';

const heard =
  (path: string): Flow =>
  async ({ facts, body, files }, tools) => {
    const url = `${hostOf(facts.model)}/v1${path}`;
    const reply = await tools.send({ method: 'POST', url, form: { fields: body, files } });
    const contentType = reply.headers['content-type'] ?? '';
    if (contentType.includes('json')) return { status: reply.status, json: reply.json };
    return { status: reply.status, contentType, body: reply.bytes };
  };

/** https://docs.fireworks.ai/api-reference/audio-transcriptions, /audio-translations and /rerank-documents. */
export const documents: Endpoints = {
  createTranscription: {
    path: '/audio/transcriptions',
    dialect: 'transcriptions',
    flow: heard('/audio/transcriptions'),
  },
  createTranslation: { path: '/audio/translations', dialect: 'transcriptions', flow: heard('/audio/translations') },
  rerank: { path: '/rerank', dialect: 'rerank', repair: ranked },
};

/** Results stand in `data`, their documents as bare text. */
function ranked(json: JsonObject, { newId }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.data)) return json;
  const { data, ...rest } = json;
  const results = asObjects(data).map((result) => {
    const text = asString(result.document);
    return text === undefined ? result : { ...result, document: { text } };
  });
  return { id: newId('rerank-'), object: 'list', ...rest, results };
}
