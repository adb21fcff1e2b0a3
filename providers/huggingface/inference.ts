import {
  asArray,
  asNumber,
  asString,
  compact,
  type EndpointSpec,
  type FlowCall,
  type FlowResult,
  type FlowTools,
  GatewayError,
  type Json,
  parseJson,
} from 'portcullis/sdk';

const router = 'https://router.huggingface.co/hf-inference/models';

/** The models of "HF Inference" are at a URL each; a dedicated endpoint has one. A name may end in the provider's: `:hf-inference`. */
function urlOf({ facts }: FlowCall, task = ''): string {
  const own = asString(facts.settings.huggingfaceBaseUrl);
  if (own !== undefined) return new URL(own).origin + task;
  const segments = facts.model.replace(/:hf-inference$/, '').split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new GatewayError('bad_request', 'The model must be named as on the hub: owner/name.', { param: 'model' });
  }
  return `${router}/${segments.map(encodeURIComponent).join('/')}${task}`;
}

/** Source: https://huggingface.co/docs/inference-providers/tasks/text-to-image. */
export const imageGenerate: EndpointSpec = { path: '/images/generations', dialect: 'images', flow: drawn };

const ownImageFields = new Set(['model', 'prompt', 'n', 'size', 'response_format', 'user', 'quality', 'style']);

async function drawn(call: FlowCall, { send, nowSeconds }: FlowTools): Promise<FlowResult> {
  const { body } = call;
  if ((asNumber(body.n) ?? 1) > 1) {
    throw new GatewayError('translation_unsupported', 'This provider makes one picture a request: n must be 1.', {
      param: 'n',
    });
  }
  const [, width, height] = /^(\d+)x(\d+)$/.exec(asString(body.size) ?? '') ?? [];
  const size = width === undefined || height === undefined ? {} : { width: Number(width), height: Number(height) };
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !ownImageFields.has(key)));
  const parameters = { ...size, ...rest };
  const reply = await send({
    method: 'POST',
    url: urlOf(call),
    headers: { accept: 'image/png' },
    body: { inputs: asString(body.prompt) ?? '', ...(Object.keys(parameters).length === 0 ? {} : { parameters }) },
  });
  const picture = Buffer.from(reply.bytes).toString('base64');
  return { status: 200, json: { created: nowSeconds(), data: [{ b64_json: picture }] } };
}

/** Source: https://huggingface.co/docs/inference-providers/tasks/automatic-speech-recognition. */
export const createTranscription: EndpointSpec = {
  path: '/audio/transcriptions',
  dialect: 'transcriptions',
  flow: heard,
};

async function heard(call: FlowCall, { send }: FlowTools): Promise<FlowResult> {
  const file = call.files.find(({ field }) => field === 'file');
  if (file === undefined) throw new GatewayError('bad_request', 'The form holds no file.', { param: 'file' });
  const { json } = await send({
    method: 'POST',
    url: urlOf(call),
    headers: { 'content-type': file.contentType },
    body: file,
  });
  const text = asString(json.text) ?? '';
  if (call.body.response_format !== 'text') return { status: 200, json: { ...json, text } };
  return { status: 200, contentType: 'text/plain; charset=utf-8', body: Buffer.from(text) };
}

/** Source: https://huggingface.co/docs/inference-providers/tasks/feature-extraction. It counts no tokens. */
export const embed: EndpointSpec = { path: '/embeddings', dialect: 'embeddings', flow: embedded };

const ownEmbedFields = new Set(['model', 'input', 'encoding_format', 'user']);

async function embedded(call: FlowCall, { send }: FlowTools): Promise<FlowResult> {
  const { body, facts } = call;
  const input = typeof body.input === 'string' ? [body.input] : asArray(body.input);
  if (!input.every((text) => typeof text === 'string')) {
    throw new GatewayError('translation_unsupported', 'This provider embeds text only, not token arrays.', {
      param: 'input',
    });
  }
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !ownEmbedFields.has(key)));
  const { bytes } = await send({
    method: 'POST',
    url: urlOf(call, asString(facts.settings.huggingfaceBaseUrl) === undefined ? '/pipeline/feature-extraction' : ''),
    body: { inputs: input, ...rest },
  });
  const vectors = vectorsIn(Buffer.from(bytes).toString('utf8'));
  const write = body.encoding_format === 'base64' ? base64Of : (vector: Json) => vector;
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: write(vector) }));
  const usage = { prompt_tokens: 0, total_tokens: 0 };
  return { status: 200, json: compact({ object: 'list', data, model: facts.model, usage }) };
}

function vectorsIn(text: string): readonly Json[] {
  const vectors = asArray(parseJson(text));
  if (vectors.length > 0 && vectors.every((vector) => typeof asArray(vector)[0] === 'number')) return vectors;
  throw new GatewayError('upstream_invalid', 'The model does not answer with one vector for each text.');
}

function base64Of(vector: Json): string {
  const numbers = asArray(vector);
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, index) => {
    bytes.writeFloatLE(asNumber(number) ?? 0, index * 4);
  });
  return bytes.toString('base64');
}
