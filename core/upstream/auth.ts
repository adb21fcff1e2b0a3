import {
  type Auth,
  type AuthTools,
  asNumber,
  asObject,
  asString,
  GatewayError,
  type MachineIdentity,
  type MaybePromise,
  parseJson,
  type RequestToSign,
  type Settings,
} from 'portcullis/sdk';
import { CachedTokens } from './cached-tokens.ts';

/** Sends a token request and gives status and body. */
export type SendTokenRequest = AuthTools['send'];

/** The headers that carry a credential. */
export type Credential = Readonly<Record<string, string>>;

/** As whom a provider is called. */
export interface Identity {
  readonly settings: Settings;
  /** Name of the unit, for messages. */
  readonly upstream: string;
  /** Whether the settings may spend the identity of the machine. */
  readonly machine?: boolean | undefined;
}

/** Where `explain` shows no value: a stand-in for a token that is only fetched when a request is really sent. */
export const unfetchedToken = 'Bearer <fetched when the request is sent>';

type TokenAuth = Extract<Auth, { kind: 'token' }>;

const bearerToken = 'bearer';
const noCredential: Credential = Object.freeze({});

/** Turns a provider's auth into headers. */
export class Authenticator {
  readonly #send: SendTokenRequest;
  readonly #now: () => number;
  readonly #machine: MachineIdentity | undefined;
  readonly #tokens: CachedTokens;

  constructor(send: SendTokenRequest, now: () => number, machine?: MachineIdentity) {
    this.#send = send;
    this.#now = now;
    this.#machine = machine;
    this.#tokens = new CachedTokens(now);
  }

  /** The headers that carry the credential; no promise unless a token has to be fetched or waited for. */
  headersFor(auth: Auth, identity: Identity, request: () => RequestToSign): MaybePromise<Credential> {
    switch (auth.kind) {
      case 'none':
        return noCredential;
      case 'bearer': {
        const value = asString(identity.settings[auth.from]);
        return value === undefined ? noCredential : { authorization: `${auth.scheme ?? 'Bearer'} ${value}` };
      }
      case 'header': {
        const value = asString(identity.settings[auth.from]);
        return value === undefined ? noCredential : { [auth.name]: value };
      }
      case 'token':
        return this.#bearerToken(auth, identity);
      case 'signed':
        return auth.headers(request(), identity.settings, this.#toolsOf(identity));
    }
  }

  /** The provider has refused what was cached for these settings: the next request asks anew. */
  forget(identity: Identity): void {
    this.#tokens.forget(identity);
  }

  async #bearerToken(auth: TokenAuth, identity: Identity): Promise<Credential> {
    const token = await this.#tokens.get(identity, bearerToken, () => this.#fetch(auth, identity));
    return { authorization: `Bearer ${token}` };
  }

  async #fetch(auth: TokenAuth, identity: Identity) {
    const { upstream, settings } = identity;
    const { status, body } = await this.#send(await auth.request(settings, this.#toolsOf(identity)));
    const answer = asObject(parseJson(body));
    const value = asString(answer?.access_token);
    if (status !== 200 || value === undefined) {
      throw new GatewayError(
        'upstream_error',
        `The token endpoint of ${upstream} answered with status ${status} and no token.`,
      );
    }
    const lifeMs = (asNumber(Number(answer?.expires_in)) ?? 0) * 1000;
    return { value, expiresAtMs: lifeMs > 0 ? this.#now() + lifeMs : 0 };
  }

  #toolsOf(identity: Identity): AuthTools {
    return {
      now: this.#now,
      send: this.#send,
      cached: (name, make) => this.#tokens.get(identity, `own:${name}`, make),
      machine: identity.machine === true ? this.#machine : undefined,
    };
  }
}
