import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { asObject, type JsonObject, type Log, parseJson } from 'portcullis/sdk';
import type { GatewayConfig, SavedProvider, ServerConfig, Timeouts } from '../../core/config/gateway-config.ts';
import { createGateway, type Gateway, type GatewayOverrides } from '../../core/gateway.ts';

/** Parts of a `GatewayConfig`; what is left out has the defaults of a test. */
export interface ConfigFragment extends Partial<Omit<GatewayConfig, 'server'>> {
  readonly server?: Partial<Omit<ServerConfig, 'timeouts'>> & { readonly timeouts?: Partial<Timeouts> };
}

export interface LogLine {
  readonly level: keyof Log;
  readonly event: string;
  readonly fields: JsonObject;
}

/** A reply as a test looks at it. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `{}` where the body is no JSON object. */
  readonly json: JsonObject;
}

export interface TestGateway {
  readonly gateway: Gateway;
  readonly url: string;
  readonly log: LogLine[];
  post(
    path: string,
    body: JsonObject | string | Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  request(
    method: string,
    path: string,
    options?: { body?: string | Uint8Array; headers?: Readonly<Record<string, string>> },
  ): Promise<Reply>;
  openai(headers?: Readonly<Record<string, string>>): OpenAI;
  anthropic(headers?: Readonly<Record<string, string>>): Anthropic;
  /** Resolves with the first log line that matches, now or later. */
  logged(matches: (line: LogLine) => boolean): Promise<LogLine>;
}

/** Folder of the providers that only tests have. */
export const testProviders = fileURLToPath(new URL('./providers', import.meta.url));

/** A complete config: any port of loopback, which is also the one trusted host, and no deadline that a test could meet by chance. */
export function testConfig({ server, ...rest }: ConfigFragment = {}): GatewayConfig {
  return {
    caps: { root: 100, conditionalRoot: 1000, nested: 50 },
    log: { level: 'silent' },
    pluginFolders: [],
    signingKeys: [],
    phases: {},
    providers: {},
    configs: {},
    keys: [],
    ...rest,
    server: {
      port: 0,
      bodyLimit: 32 * 1024 * 1024,
      drainTimeoutMs: 10_000,
      headerVendors: ['gw'],
      cors: { enabled: false, origins: ['*'] },
      trustedHosts: ['127.0.0.1'],
      maxReplyBytes: 64 * 1024 * 1024,
      customHostMaxReplyBytes: 32 * 1024 * 1024,
      ...server,
      timeouts: { connectMs: 10_000, firstByteMs: 60_000, gapMs: 60_000, totalMs: 600_000, ...server?.timeouts },
    },
  };
}

/** A saved provider of the operator. */
export function saved(
  provider: string,
  customHost: string,
  settings: JsonObject = { api_key: 'operator-key' },
  models: readonly string[] = [],
): SavedProvider {
  return { provider, customHost, models, settings };
}

/** Starts a gateway that closes itself when the test ends. */
export async function startGateway(
  t: Pick<TestContext, 'after'>,
  fragment: ConfigFragment = {},
  overrides: GatewayOverrides = {},
): Promise<TestGateway> {
  const log: LogLine[] = [];
  const watchers = new Set<(line: LogLine) => void>();
  const write =
    (level: keyof Log) =>
    (event: string, fields: JsonObject = {}) => {
      const line = { level, event, fields };
      log.push(line);
      for (const watch of watchers) watch(line);
    };
  const recorder: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const gateway = await createGateway(testConfig(fragment), { env: () => undefined, log: recorder, ...overrides });
  t.after(() => gateway.close());
  const { url } = await gateway.listen();

  const request: TestGateway['request'] = async (method, path, { body, headers } = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
      ...(headers === undefined ? {} : { headers }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: asObject(parseJson(text)) ?? {} };
  };
  return {
    gateway,
    url,
    log,
    request,
    post: (path, body, headers) =>
      request('POST', path, {
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    // The word that open gateways do not take for a provider's key.
    openai: (headers = {}) =>
      new OpenAI({ apiKey: 'portcullis', baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders: headers }),
    anthropic: (headers = {}) =>
      new Anthropic({ apiKey: 'portcullis', baseURL: url, maxRetries: 0, defaultHeaders: headers }),
    logged: (matches) => {
      const known = log.find(matches);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => {
        const watch = (line: LogLine) => {
          if (!matches(line)) return;
          watchers.delete(watch);
          resolve(line);
        };
        watchers.add(watch);
      });
    },
  };
}
