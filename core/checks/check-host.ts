import {
  type CheckCall,
  type CheckFetch,
  type CheckHost,
  type CodeRunner,
  type FetchReply,
  type FetchRequest,
  GatewayError,
  type JsonObject,
  type Log,
  type ModelQuestion,
  type Principal,
} from 'portcullis/sdk';
import type { Validator } from '../config/validator.ts';
import { checkFetch } from '../loader/host.ts';
import { createCheckCaches } from './check-cache.ts';
import type { GuardrailUnit } from './registry.ts';

/** The mechanisms behind the hosts of checks. */
export interface CheckCapabilities {
  readonly log: (unit: string) => Log;
  readonly now: () => number;
  /** Goes to the network through the URL guard; follows no redirect. Gets only what has been allowed. */
  readonly send: (url: URL, request: FetchRequest) => Promise<FetchReply>;
  readonly ask: (question: ModelQuestion, call: CheckCall) => Promise<string>;
  readonly code: (host: CheckHost, organisationId: string | undefined) => CodeRunner;
}

/** Names differ in case alone: one of them would come beside a forwarded header, not in its place. */
function lowerCase(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const keyHeader = /^x-[a-z0-9-]+-(api|virtual)-key$/;

/** Whoever may write guardrails must not learn the keys of those who are guarded. A token is its issuer's: it may be verified again. */
function isGatewayKey(name: string, { kind, consumed }: Principal): boolean {
  return keyHeader.test(name) || (name === consumed && kind !== 'token');
}

/** Longest time of any call, whatever the check asks for. */
const longestMs = 600_000;

/** Makes the hosts of a unit: one for each run. What its manifest does not grant throws `forbidden`. */
export function hostsOf(
  { manifest }: GuardrailUnit,
  checkSecrets: Validator | undefined,
  capabilities: CheckCapabilities,
): (call: CheckCall) => CheckHost {
  const { name, permissions = {} } = manifest;
  const log = capabilities.log(name);
  const caches = createCheckCaches(capabilities.now);
  const readable = new WeakMap<JsonObject, JsonObject>();
  const grant = (granted: boolean | undefined, permission: string): void => {
    if (granted === true) return;
    const text = `The guardrail ${name} may not do this: its plugin.json does not grant ${permission}.`;
    throw new GatewayError('forbidden', text);
  };

  /** Credentials that fit the unit's schema; looked at once, for the directory hands out the same object. */
  const credentialsOf = (given: JsonObject | undefined): JsonObject => {
    if (checkSecrets === undefined) return {};
    const known = given === undefined ? undefined : readable.get(given);
    if (known !== undefined) return known;
    const filled = structuredClone(given ?? {});
    if (!checkSecrets(filled)) {
      const missing = given === undefined ? 'none are stored' : 'they do not fit what the vendor asks for';
      throw new GatewayError('check_failed', `The guardrail unit ${name} needs credentials, and ${missing}.`);
    }
    if (given !== undefined) readable.set(given, filled);
    return filled;
  };

  class RunHost implements CheckHost {
    readonly log = log;
    readonly now = capabilities.now;
    readonly #call: CheckCall;
    readonly #until: number;

    constructor(call: CheckCall) {
      this.#call = call;
      this.#until = capabilities.now() + call.timeoutMs;
    }

    get credentials(): JsonObject {
      return credentialsOf(this.#call.credentials);
    }

    get signal(): AbortSignal {
      return this.#call.signal;
    }

    get cache() {
      return caches(name, this.#call.principal.access?.organisationId);
    }

    get code(): CodeRunner {
      grant(permissions.sandbox, 'permissions.sandbox');
      return capabilities.code(this, this.#call.principal.access?.organisationId);
    }

    async fetch(url: string, request: CheckFetch = {}): Promise<FetchReply> {
      const leftMs = Math.max(1, Math.min(longestMs, this.#until - capabilities.now()));
      const full: FetchRequest = {
        method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
        headers: { ...this.#call.forward, ...lowerCase(request.headers) },
        timeoutMs: Math.min(request.timeoutMs ?? leftMs, leftMs),
        signal: this.#call.signal,
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(request.maxBytes === undefined ? {} : { maxBytes: request.maxBytes }),
      };
      return capabilities.send(checkFetch(manifest, url, full), full);
    }

    async ask(question: ModelQuestion): Promise<string> {
      grant(permissions.models, 'permissions.models');
      return capabilities.ask(question, this.#call);
    }

    header(wanted: string): string | undefined {
      grant(permissions.request?.includes('credentials'), 'permissions.request: credentials');
      const name = wanted.toLowerCase();
      return isGatewayKey(name, this.#call.principal) ? undefined : this.#call.headers[name];
    }
  }

  return (call) => new RunHost(call);
}
