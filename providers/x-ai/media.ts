import {
  asObjects,
  asString,
  compact,
  type Endpoints,
  type Flow,
  fileDataUrl,
  type JsonObject,
  omit,
  type ReplyFacts,
} from 'portcullis/sdk';

const ofForms: ReadonlySet<string> = new Set(['image', 'image[]', 'size']);

/** https://docs.x.ai/developers/model-capabilities/images: forms are not taken, so their pictures become data URLs. */
const edit: Flow = async ({ body, files }, tools) => {
  const given = files.filter(({ field }) => field === 'image' || field === 'image[]');
  const urls = await Promise.all(given.map(fileDataUrl));
  const pictures = urls.map((url) => ({ type: 'image_url', url }));
  const asked = given.length === 0 ? inJson(body) : { ...numbered(omit(body, ofForms)), ...placed(pictures) };
  const { status, json } = await tools.send({ method: 'POST', url: '/images/edits', body: asked });
  return { status, json: dated(json, tools.nowSeconds()) };
};

/** In JSON other servers name pictures by bare URLs. */
function inJson(body: JsonObject): JsonObject {
  const { images, image } = body;
  if (typeof image === 'string') return { ...body, image: { type: 'image_url', url: image } };
  if (!Array.isArray(images)) return body;
  const named = asObjects(images).map(({ image_url: url, ...picture }) =>
    typeof url === 'string' ? { type: 'image_url', url, ...picture } : { ...picture },
  );
  return { ...omit(body, new Set(['images'])), ...placed(named) };
}

function placed(pictures: readonly JsonObject[]): JsonObject {
  const [only, ...more] = pictures;
  return only !== undefined && more.length === 0 ? { image: only } : { images: pictures };
}

/** Fields of a form are text. */
function numbered(body: JsonObject): JsonObject {
  return body.n === undefined ? body : { ...body, n: Number(body.n) };
}

/** Pictures have a ratio and a resolution, no size; sound is made and read by endpoints of its own form. */
export const media: Endpoints = {
  imageGenerate: {
    path: '/images/generations',
    dialect: 'images',
    params: { drop: ['size', 'style'] },
    repair: (json, reply) => dated(json, reply.nowSeconds()),
  },
  imageEdit: { path: '/images/edits', dialect: 'images', flow: edit },
  createSpeech: {
    path: '/tts',
    dialect: 'speech',
    params: { rename: { input: 'text', voice: 'voice_id' }, drop: ['instructions', 'model'] },
    request: speechAsked,
    reply: 'bytes',
  },
  createTranscription: {
    path: '/stt',
    dialect: 'transcriptions',
    // It knows one model and one form of replies. The file must be the last part, as it is in a form that is written anew.
    params: { drop: ['model', 'response_format'] },
    repair: heard,
  },
};

function dated(json: JsonObject, now: number): JsonObject {
  return Array.isArray(json.data) && json.created === undefined ? { created: now, ...json } : json;
}

/** https://docs.x.ai/developers/model-capabilities/audio/text-to-speech: the language is needed, and may be `auto`. */
function speechAsked(body: JsonObject): JsonObject {
  const { response_format: codec, ...rest } = body;
  return compact({
    language: 'auto',
    output_format: codec === undefined ? undefined : { codec },
    ...rest,
  });
}

/** Words have their text in `text`: https://docs.x.ai/developers/model-capabilities/audio/speech-to-text */
function heard(json: JsonObject, _reply: ReplyFacts): JsonObject {
  if (asString(json.text) === undefined || !Array.isArray(json.words)) return json;
  const words = (json.words as readonly JsonObject[]).map(({ text, ...word }) =>
    compact({ ...word, word: word.word ?? text }),
  );
  return { ...json, words };
}
