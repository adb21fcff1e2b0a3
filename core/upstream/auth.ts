import {
  type Auth,
  asNumber,
  asObject,
  asString,
  GatewayError,
  parseJson,
  type Settings,
  type TokenRequest,
} from 'portcullis/sdk';

/** Sends a token request and gives status and body. */
export type SendTokenRequest = (request: TokenRequest) => Promise<{ readonly status: number; readonly body: string }>;

/** Where `explain` shows no value: a stand-in for a token that is only fetched when a request is really sent. */
export const unfetchedToken = 'Bearer <fetched when the request is sent>';

interface CachedToken {
  readonly value: Promise<string>;
  /** Epoch milliseconds after which a new one is fetched. */
  staleAt: number;
}

const maxTokens = 1000;
const marginMs = 5 * 60_000;
/** For a token that does not say how long it lives. */
const unknownLifeMs = 30_000;

type TokenAuth = Extract<Auth, { kind: 'token' }>;

/** Turns a provider's auth into headers; tokens are cached until shortly before they end, one fetch at a time. */
export class Authenticator {
  readonly #send: SendTokenRequest;
  readonly #now: () => number;
  readonly #tokens = new Map<string, CachedToken>();

  constructor(send: SendTokenRequest, now: () => number) {
    this.#send = send;
    this.#now = now;
  }

  /** The headers that carry the credential; no promise unless a token has to be fetched or waited for. */
  headersFor(
    auth: Auth,
    settings: Settings,
    upstream: string,
  ): Record<string, string> | Promise<Record<string, string>> {
    switch (auth.kind) {
      case 'none':
        return {};
      case 'bearer': {
        const value = asString(settings[auth.from]);
        return value === undefined ? {} : { authorization: `Bearer ${value}` };
      }
      case 'header': {
        const value = asString(settings[auth.from]);
        return value === undefined ? {} : { [auth.name]: value };
      }
      case 'token':
        return this.#bearerToken(auth, settings, upstream);
    }
  }

  async #bearerToken(auth: TokenAuth, settings: Settings, upstream: string): Promise<Record<string, string>> {
    // By the settings, not by the request: a signed assertion differs each time that it is made.
    const key = JSON.stringify([upstream, settings]);
    const cached = this.#tokens.get(key);
    if (cached !== undefined && cached.staleAt > this.#now()) return { authorization: `Bearer ${await cached.value}` };
    const token: CachedToken = {
      value: this.#fetch(auth, settings, upstream).then(({ value, staleAt }) => {
        token.staleAt = staleAt;
        return value;
      }),
      staleAt: Number.POSITIVE_INFINITY,
    };
    if (this.#tokens.size >= maxTokens) this.#tokens.clear();
    this.#tokens.set(key, token);
    try {
      return { authorization: `Bearer ${await token.value}` };
    } catch (error) {
      if (this.#tokens.get(key) === token) this.#tokens.delete(key);
      throw error;
    }
  }

  async #fetch(
    auth: TokenAuth,
    settings: Settings,
    upstream: string,
  ): Promise<{ readonly value: string; readonly staleAt: number }> {
    const { status, body } = await this.#send(await auth.request(settings));
    const answer = asObject(parseJson(body));
    const token = asString(answer?.access_token);
    if (status !== 200 || token === undefined) {
      throw new GatewayError(
        'upstream_error',
        `The token endpoint of ${upstream} answered with status ${status} and no token.`,
      );
    }
    const lifeMs = (asNumber(Number(answer?.expires_in)) ?? 0) * 1000;
    return {
      value: token,
      staleAt: this.#now() + (lifeMs > 0 ? Math.max(lifeMs - marginMs, lifeMs / 2) : unknownLifeMs),
    };
  }
}
