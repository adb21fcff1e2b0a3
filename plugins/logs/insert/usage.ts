import {
  asArray,
  asObject,
  asString,
  createFramer,
  dialects,
  type EmbeddingDialect,
  type Endpoint,
  type GenerationDialect,
  type Json,
  type JsonObject,
  parseJson,
  type Usage,
} from 'portcullis/sdk';

type CountedDialect = GenerationDialect | EmbeddingDialect;

/** Which format a request to such a path has, and what it asks for. */
const formats: readonly { readonly path: RegExp; readonly dialect: CountedDialect; readonly endpoint: Endpoint }[] = [
  { path: /\/chat\/completions$/, dialect: dialects.chat, endpoint: 'chatComplete' },
  { path: /\/completions$/, dialect: dialects.completions, endpoint: 'complete' },
  { path: /\/messages$/, dialect: dialects.messages, endpoint: 'messages' },
  { path: /\/responses$/, dialect: dialects.responses, endpoint: 'createModelResponse' },
  { path: /\/embeddings$/, dialect: dialects.embeddings, endpoint: 'embed' },
  { path: /:(?:stream)?generateContent$/i, dialect: dialects.gemini, endpoint: 'chatComplete' },
  { path: /:(?:batch)?embedContents?$/i, dialect: dialects['gemini-embeddings'], endpoint: 'embed' },
  { path: /\/v2\/chat$/, dialect: dialects.cohere, endpoint: 'chatComplete' },
  { path: /\/converse(?:-stream)?$/, dialect: dialects.converse, endpoint: 'chatComplete' },
];
/** Where a path names the model, in the formats whose body does not. */
const modelInPath = /\/models?\/([^/:]+)(?::\w+|\/converse(?:-stream)?)$/;

/** What a reply that was sent in says of itself. */
export interface ReadReply {
  readonly usage: Usage | undefined;
  readonly model: string | undefined;
  readonly endpoint: Endpoint | undefined;
  readonly stream: boolean;
  readonly tier: string | undefined;
  readonly region: string | undefined;
}

/** @param body the reply: JSON, the events of a stream as a list, or a stream as text */
export function readReply(path: string, body: Json): ReadReply {
  const format = formats.find((one) => one.path.test(path));
  const events = eventsOf(body);
  let usage: Usage | undefined;
  let model: string | undefined;
  let tier: string | undefined;
  let region: string | undefined;
  for (const event of events) {
    const { dialect } = format ?? formats.find((one) => isCounted(one.dialect.usageOf(event))) ?? {};
    // Later counts complete earlier ones: the first event of a stream may hold the input alone.
    const counted = dialect?.usageOf(event);
    if (counted !== undefined) usage = merged(usage, counted);
    tier = dialect?.usage.tierOf(event) ?? tier;
    region = dialect?.usage.regionOf?.(event) ?? region;
    model ??= modelOf(event);
  }
  const stream = asObject(body) === undefined && events.length > 0;
  return { usage, model, endpoint: format?.endpoint, stream, tier, region };
}

/** Some formats read nothing out of the counts of others. */
function isCounted(usage: Usage | undefined): boolean {
  return usage !== undefined && usage.input + usage.output > 0;
}

/** The model that the path of a request names. */
export function modelOfPath(path: string): string | undefined {
  const [, name] = modelInPath.exec(path) ?? [];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function merged(before: Usage | undefined, { total, ...counted }: Usage): Usage {
  const input = Math.max(before?.input ?? 0, counted.input);
  const output = Math.max(before?.output ?? 0, counted.output);
  return {
    ...before,
    ...counted,
    input,
    output,
    ...(total === undefined ? {} : { total: Math.max(total, input + output) }),
  };
}

function modelOf(event: JsonObject): string | undefined {
  const { model, modelVersion, message, response } = event;
  return (
    asString(model) ??
    asString(modelVersion) ??
    asString(asObject(message)?.model) ??
    asString(asObject(response)?.model)
  );
}

function eventsOf(body: Json): readonly JsonObject[] {
  if (typeof body === 'string') return framesOf(body);
  if (!Array.isArray(body)) return [asObject(body) ?? {}];
  return objects(asArray(body).map((item) => (typeof item === 'string' ? parseJson(item) : item)));
}

function framesOf(text: string): readonly JsonObject[] {
  const whole = asObject(parseJson(text));
  if (whole !== undefined) return [whole];
  const framer = createFramer('sse');
  return objects([...framer.push(Buffer.from(text)), ...framer.end()].map(({ data }) => parseJson(data)));
}

function objects(values: readonly (Json | undefined)[]): readonly JsonObject[] {
  return values.flatMap((value) => {
    const object = asObject(value);
    return object === undefined ? [] : [object];
  });
}
