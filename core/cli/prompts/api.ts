import { asNumber, asObject, asObjects, asString, GatewayError, type JsonObject, parseJson } from 'portcullis/sdk';

/** A gateway's records, as its own routes give them. All methods throw GatewayError with a sentence for the operator. */
export interface Api {
  list(path: string, query?: Query): Promise<readonly JsonObject[]>;
  get(path: string, query?: Query): Promise<JsonObject>;
  /** As `get`; undefined for what the caller cannot see. */
  find(path: string, query?: Query): Promise<JsonObject | undefined>;
  create(path: string, body: JsonObject): Promise<JsonObject>;
  update(path: string, body: JsonObject): Promise<JsonObject>;
}

export interface ApiSettings {
  /** Where the gateway stands, without `/v1`. */
  readonly url: URL;
  readonly key: string;
  /** Id or slug; for keys that are bound to no workspace. */
  readonly workspace: string | undefined;
  /** Of one request. */
  readonly timeoutMs: number;
}

type Query = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

const pageSize = 100;
const mostPages = 1000;

export function apiOf({ url, key, workspace, timeoutMs }: ApiSettings): Api {
  const place: Query = workspace === undefined ? {} : { workspace_id: workspace };

  async function ask(method: string, path: string, query: Query, body?: JsonObject): Promise<Answer> {
    const target = new URL(`${url.pathname.replace(/\/+$/, '')}/v1${path}`, url);
    target.search = new URLSearchParams({ ...query, ...place }).toString();
    const headers = {
      accept: 'application/json',
      // Every gateway reads it, whatever vendor its own headers are named for.
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const response = await fetch(target, {
        method,
        headers,
        // A redirect could take the key elsewhere.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify({ ...body, ...place }) }),
      });
      const answered = asObject(parseJson(await response.text()));
      if (answered !== undefined) return { status: response.status, body: answered };
      throw new GatewayError(
        'upstream_invalid',
        `${target.origin} answers ${method} ${target.pathname} with ${response.status} and no JSON object. Is it a gateway?`,
      );
    } catch (cause) {
      if (GatewayError.is(cause)) throw cause;
      throw new GatewayError('upstream_unreachable', `The gateway at ${target.origin} ${failure(cause, timeoutMs)}.`, {
        cause,
      });
    }
  }

  async function good(method: string, path: string, query: Query, body?: JsonObject): Promise<JsonObject> {
    const answer = await ask(method, path, query, body);
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw refusal(method, path, answer);
  }

  return {
    async list(path, query = {}) {
      const found = new Map<string, JsonObject>();
      for (let page = 0; page < mostPages; page += 1) {
        const reply = await good('GET', path, { ...query, current_page: String(page), page_size: String(pageSize) });
        const items = asObjects(reply.data);
        // What is made between two pages moves the rest: the same item may come twice.
        for (const item of items) found.set(asString(item.id) ?? '', item);
        if (items.length === 0 || (page + 1) * pageSize >= (asNumber(reply.total) ?? 0)) break;
      }
      return [...found.values()];
    },
    get: (path, query = {}) => good('GET', path, query),
    async find(path, query = {}) {
      const answer = await ask('GET', path, query);
      if (answer.status === 404) return undefined;
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      throw refusal('GET', path, answer);
    },
    create: (path, body) => good('POST', path, {}, body),
    update: (path, body) => good('PUT', path, {}, body),
  };
}

function failure(cause: unknown, timeoutMs: number): string {
  if (cause instanceof DOMException && cause.name === 'TimeoutError') return `has not answered within ${timeoutMs} ms`;
  const code = (cause as { cause?: NodeJS.ErrnoException }).cause?.code;
  return `cannot be reached (${code ?? 'unknown reason'})`;
}

function refusal(method: string, path: string, { status, body }: Answer): GatewayError {
  const error = asObject(body.error);
  const message = asString(error?.message) ?? asString(body.message) ?? 'It does not say why.';
  return new GatewayError('bad_request', `The gateway refuses ${method} ${path} (${status}): ${message}`, {
    ...(typeof error?.param === 'string' ? { param: error.param } : {}),
  });
}
