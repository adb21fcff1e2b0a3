import {
  asArray,
  asNumber,
  asObject,
  asString,
  compact,
  type Flow,
  type FlowTools,
  GatewayError,
  type HeldFile,
  heldFiles,
  type Json,
  type JsonObject,
  omit,
  pathSegment,
} from 'portcullis/sdk';

/** Makes a prediction of a model of pictures and waits for it: the provider holds the request open for up to a minute. */
export const generateFlow: Flow = async ({ body, facts }, tools) => imagesOf(facts.model, inputOf(body), tools);

/**
 * Pictures travel as data URLs, in the input that is named like the form's field: `image`, `mask`. Models with other names for
 * them take URLs among the fields of `generateFlow`.
 */
export const editFlow: Flow = async ({ body, facts, files }, tools) =>
  imagesOf(facts.model, { ...withNumbers(inputOf(body)), ...urlsOf(await heldFiles(files, maxBytes)) }, tools);

const read: ReadonlySet<string> = new Set(['model', 'n', 'response_format', 'input', 'user']);

/** What the client names is an input of the model; `input` holds them as the provider names them. */
function inputOf(body: JsonObject): JsonObject {
  return compact({ num_outputs: body.n, ...omit(body, read), ...asObject(body.input) });
}

/** Inputs have types, and fields of a form are strings. */
function withNumbers(input: JsonObject): JsonObject {
  const typed = Object.entries(input).map(([name, value]) => {
    const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? asNumber(Number(value)) : undefined;
    return [name, number ?? value] as const;
  });
  return Object.fromEntries(typed);
}

async function imagesOf(model: string, input: JsonObject, tools: FlowTools) {
  const { url, version } = placeOf(model);
  const created = await tools.send({
    method: 'POST',
    url,
    headers: { prefer: 'wait' },
    body: compact({ version, input }),
  });
  const output = await outputOf(created.json, tools);
  const data = (Array.isArray(output) ? asArray(output) : [output]).map(pictureOf);
  return { status: 200, json: { created: tools.nowSeconds(), data } };
}

export function placeOf(model: string): { readonly url: string; readonly version?: string } {
  const [path = '', version] = model.split(':');
  const segments = path.split('/').map((segment) => pathSegment(segment, 'model'));
  const encoded = segments.join('/');
  if (version !== undefined) return { url: '/predictions', version };
  if (segments.length === 1) return { url: '/predictions', version: path };
  return { url: segments.length === 3 ? `/${encoded}/predictions` : `/models/${encoded}/predictions` };
}

const waiting: ReadonlySet<string> = new Set(['starting', 'processing']);

async function outputOf(created: JsonObject, tools: FlowTools): Promise<Json> {
  let prediction = created;
  while (waiting.has(asString(prediction.status) ?? '')) {
    await tools.pause(1000);
    const id = encodeURIComponent(asString(prediction.id) ?? '');
    prediction = (await tools.send({ method: 'GET', url: `/predictions/${id}` })).json;
  }
  if (prediction.status === 'succeeded') return prediction.output ?? null;
  const reason = asString(prediction.error) || `it ended as ${asString(prediction.status) ?? 'unknown'}`;
  throw new GatewayError('upstream_error', `The prediction failed: ${reason}`);
}

/** A URL, or a data URL where the model writes one. */
function pictureOf(output: Json): JsonObject {
  const text = asString(output) ?? asString(asObject(output)?.url);
  if (text === undefined)
    throw new GatewayError('upstream_invalid', 'The output of the prediction is no picture: use the proxy for it.');
  const inline = /^data:[^,]*;base64,/.exec(text);
  return inline === null ? { url: text } : { b64_json: text.slice(inline[0].length) };
}

/** The provider takes small files as data URLs, and large ones as URLs. */
const maxBytes = 10 * 1024 * 1024;

function urlsOf(files: readonly HeldFile[]): JsonObject {
  const byField = Map.groupBy(files, ({ field }) => field);
  const inputs = [...byField].map(([field, held]) => {
    const urls = held.map(({ dataUrl }) => dataUrl);
    const isList = field.endsWith('[]') || urls.length > 1;
    return [field.replace(/\[\]$/, ''), isList ? urls : (urls[0] ?? null)] as const;
  });
  return Object.fromEntries(inputs);
}
