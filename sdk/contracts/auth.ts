import type { JsonObject } from '../json.ts';
import type { MaybePromise } from './plugin.ts';
import type { Settings } from './provider.ts';

/** Where a credential comes from and how it travels. `from` names a field of `settings`. */
export type Auth =
  | { readonly kind: 'none' }
  /** `Authorization: Bearer <value>` (RFC 6750), or another scheme. */
  | { readonly kind: 'bearer'; readonly from: string; readonly scheme?: string }
  | { readonly kind: 'header'; readonly name: string; readonly from: string }
  /** A short-lived bearer token, fetched by the host, cached until shortly before it ends, one fetch at a time. */
  | {
      readonly kind: 'token';
      readonly request: (settings: Settings, tools: AuthTools) => TokenRequest | Promise<TokenRequest>;
    }
  /** Headers worked out for each request: signatures, and tokens that take more than one step. */
  | {
      readonly kind: 'signed';
      readonly headers: (
        request: RequestToSign,
        settings: Settings,
        tools: AuthTools,
      ) => MaybePromise<Readonly<Record<string, string>>>;
    };

/** How to obtain a token; the answer is JSON with `access_token` and `expires_in` in seconds (RFC 6749 §5.1). */
export interface TokenRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as application/json, where there is no form. */
  readonly json?: JsonObject;
}

/** A request as it will leave, but for the headers of its credential. */
export interface RequestToSign {
  readonly method: string;
  /** With query. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: there is none, or it flows from a file. */
  readonly body: string | Uint8Array | undefined;
  /** The body flows from a file, so that its digest is not known. */
  readonly flows: boolean;
  /** What a flow says that the request is for, such as `s3`; undefined: the provider's own service. */
  readonly service?: string | undefined;
}

export interface AuthTools {
  /** Epoch milliseconds. */
  now(): number;
  /** Sends a token request, through the URL guard; follows no redirect. */
  send(request: TokenRequest): Promise<{ readonly status: number; readonly body: string }>;
  /**
   * What `make` gave for these settings under `name`, kept until shortly before it ends; one `make` at a time, and a
   * failed one is forgotten. Settings and unit are part of the key.
   */
  cached<T>(name: string, make: () => Promise<{ readonly value: T; readonly expiresAtMs: number }>): Promise<T>;
  /** The identity of the machine; undefined: these settings may not spend it. */
  readonly machine: MachineIdentity | undefined;
}

/** What the platform below the gateway offers to its programs. Never open to what a caller sends, nor beside a custom host. */
export interface MachineIdentity {
  env(name: string): string | undefined;
  /** The text of a file that the environment names. */
  readFile(path: string): Promise<string>;
  /** As `send`, to addresses of the machine: link-local metadata services and loopback. */
  send(request: TokenRequest): Promise<{ readonly status: number; readonly body: string }>;
}
