import { asString, type JsonObject } from 'portcullis/sdk';
import { arrayOfEvents } from './array-of-events.ts';
import type { InferenceRoute } from './inference.ts';

const generating = {
  method: 'post',
  endpoint: 'chatComplete',
  dialect: 'gemini',
  kind: 'generate_content',
  body: 'json',
  keyInQuery: true,
} as const;
const embedding = { ...generating, endpoint: 'embed', dialect: 'gemini-embeddings' } as const;

const pathOf = (method: string) => `/v1beta/models/*model:${method}`;

const bare = { path: '', shape: (body: JsonObject, { model }: Params) => shaped(body, model, false) };

type Params = Readonly<Record<string, string>>;

/** What is done with a model, by the word that ends the path. */
const methods: Readonly<Record<string, InferenceRoute>> = {
  generateContent: { ...generating, ...bare, path: pathOf('generateContent') },
  streamGenerateContent: {
    ...generating,
    path: pathOf('streamGenerateContent'),
    shape: (body, { model }) => shaped(body, model, true),
    // Without it the stream is a JSON array, of which the elements come one by one.
    reply: (outcome, query) => (new URLSearchParams(query).get('alt') === 'sse' ? outcome : arrayOfEvents(outcome)),
  },
  countTokens: {
    ...generating,
    ...bare,
    path: pathOf('countTokens'),
    endpoint: 'messagesCountTokens',
    kind: 'count_content_tokens',
  },
  embedContent: { ...embedding, ...bare, path: pathOf('embedContent'), kind: 'embed_content' },
  batchEmbedContents: { ...embedding, ...bare, path: pathOf('batchEmbedContents'), kind: 'batch_embed_contents' },
};

export const modelMethodRoutes: readonly InferenceRoute[] = Object.values(methods);

/** The paths: a version, a collection, a name that may hold slashes, and the method. */
export const modelMethodPath = new RegExp(
  `^/v1(?:beta)?/((?:models|tunedModels)/.+)(?::|%3[Aa])(${Object.keys(methods).join('|')})$`,
);

/** Whether a request asks for something to be done with a model, known here or not. */
export function asksModelMethod(method: string, path: string): boolean {
  return method === 'POST' && /^\/v1beta\/(models|tunedModels)\/.+(:|%3a)\w+$/i.test(path);
}

/** The route of a path such as `/v1beta/models/NAME:generateContent`, and its parameters; undefined: it is none of them. */
export function modelMethodOf(path: string): { readonly route: InferenceRoute; readonly params: Params } | undefined {
  const [, name, method] = modelMethodPath.exec(path) ?? [];
  const route = method === undefined || !Object.hasOwn(methods, method) ? undefined : methods[method];
  if (route === undefined || name === undefined) return undefined;
  return { route, params: { model: decoded(name).replace(/^(models\/)+/, '') } };
}

/** The model and whether to stream stand in the path alone; policies look for them in the body, as for any other route. */
function shaped(body: JsonObject, model: string | undefined, stream: boolean): JsonObject {
  const { stream: _, ...asked } = body;
  return { ...asked, model: asString(model) ?? '', ...(stream ? { stream } : {}) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
