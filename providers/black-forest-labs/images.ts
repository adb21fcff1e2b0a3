import {
  asNumber,
  asObject,
  asString,
  type CallFacts,
  compact,
  type Flow,
  type FlowResult,
  type FlowTools,
  GatewayError,
  type HeldFile,
  heldFiles,
  type Json,
  type JsonObject,
  omit,
  pathSegment,
  pictureSize,
} from 'portcullis/sdk';

export function modelPath({ model }: CallFacts): string {
  return `/${pathSegment(model, 'model')}`;
}

export const generateFlow: Flow = async ({ facts, body }, tools) => imagesOf(facts, inputOf(body, facts.model), tools);

/** Pictures travel as base64: the first as `input_image`, further ones numbered; models that fill say `image`. */
export const editFlow: Flow = async ({ facts, body, files }, tools) => {
  const input = { ...typed(inputOf(body, facts.model)), ...picturesOf(await heldFiles(files, maxBytes), facts.model) };
  return imagesOf(facts, input, tools);
};

const read: ReadonlySet<string> = new Set(['model', 'n', 'size', 'response_format', 'user']);

function inputOf(body: JsonObject, model: string): JsonObject {
  if (body.n !== undefined && body.n !== null && Number(body.n) !== 1)
    throw new GatewayError('translation_unsupported', 'n is 1 here: the provider makes one picture a call.', {
      param: 'n',
    });
  return compact({ ...shapeOf(body.size, model), ...omit(body, read) });
}

/** Some models take pixels, others only a ratio. */
function shapeOf(size: Json | undefined, model: string): JsonObject {
  const pixels = pictureSize(size);
  if (pixels === undefined) return {};
  const { width, height } = pixels;
  if (!/kontext|ultra/.test(model)) return { width, height };
  const divisor = commonDivisor(width, height);
  return { aspect_ratio: `${width / divisor}:${height / divisor}` };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

async function imagesOf(facts: CallFacts, input: JsonObject, tools: FlowTools): Promise<FlowResult> {
  const created = await tools.send({ method: 'POST', url: modelPath(facts), body: input });
  const url = pollingUrl(created.json);
  for (;;) {
    const { json } = await tools.send({ method: 'GET', url });
    const sample = asString(asObject(json.result)?.sample);
    if (json.status === 'Ready' && sample !== undefined)
      return { status: 200, json: { created: tools.nowSeconds(), data: [{ url: sample }] } };
    const status = asString(json.status) ?? 'unknown';
    if (status === 'Ready' || /error|failed|moderated|not found|unknown/i.test(status)) throw failure(status);
    await tools.pause(500);
  }
}

/** Tasks live in one of the provider's clusters, each with a host of its own; the key goes to no other place. */
function pollingUrl({ polling_url, id }: JsonObject): string {
  const given = asString(polling_url);
  if (given === undefined) return `/get_result?id=${encodeURIComponent(asString(id) ?? '')}`;
  const { protocol, hostname } = URL.canParse(given) ? new URL(given) : { protocol: '', hostname: '' };
  if (protocol === 'https:' && hostname.endsWith('.bfl.ai')) return given;
  throw new GatewayError('upstream_invalid', 'The provider names a place for the result that is not its own.');
}

function failure(status: string): GatewayError {
  const text = `The picture was not made: ${status}.`;
  if (!/moderated/i.test(status)) return new GatewayError('upstream_error', text);
  return new GatewayError('upstream_error', text, { status: 400, type: 'invalid_request_error' });
}

/** Inputs have types, and fields of a form are strings. */
function typed(input: JsonObject): JsonObject {
  const values = Object.entries(input).map(([name, value]) => [name, typedValue(value)] as const);
  return Object.fromEntries(values);
}

function typedValue(value: Json): Json {
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? (asNumber(Number(value)) ?? value) : value;
}

const maxBytes = 20 * 1024 * 1024;

function picturesOf(files: readonly HeldFile[], model: string): JsonObject {
  const name = /fill|expand/.test(model) ? 'image' : 'input_image';
  const pictures = files.filter(({ field }) => field === 'image' || field === 'image[]');
  const others = files.filter((file) => !pictures.includes(file));
  return Object.fromEntries([
    ...pictures.map(({ base64 }, index) => [index === 0 ? name : `${name}_${index + 1}`, base64] as const),
    ...others.map(({ field, base64 }) => [field, base64] as const),
  ]);
}
