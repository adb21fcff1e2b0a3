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
} from 'portcullis/sdk';
import type { Validator } from '../config/validator.ts';
import { holdsGatewayKey } from '../gateway-key.ts';
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
function isGatewayKey(name: string, { headers, principal }: CheckCall): boolean {
  return keyHeader.test(name) || (principal.kind !== 'token' && holdsGatewayKey(name, headers, principal));
}

/** Longest time of any call, whatever the check asks for. */
const longestMs = 600_000;

/** What the hosts of a unit share. */
interface UnitHost {
  readonly manifest: GuardrailUnit['manifest'];
  readonly log: Log;
  readonly capabilities: CheckCapabilities;
  readonly caches: ReturnType<typeof createCheckCaches>;
  readonly credentialsOf: (given: JsonObject | undefined) => JsonObject;
}

/** Makes the hosts of a unit: one for each run. What its manifest does not grant throws `forbidden`. */
export function hostsOf(
  { manifest }: GuardrailUnit,
  checkSecrets: Validator | undefined,
  capabilities: CheckCapabilities,
): (call: CheckCall) => CheckHost {
  const unit: UnitHost = {
    manifest,
    log: capabilities.log(manifest.name),
    capabilities,
    caches: createCheckCaches(capabilities.now),
    credentialsOf: credentialsReader(manifest.name, checkSecrets),
  };
  return (call) => new RunHost(unit, call);
}

/** Gives credentials that fit the unit's schema; looked at once, for the directory hands out the same object. */
function credentialsReader(name: string, checkSecrets: Validator | undefined): UnitHost['credentialsOf'] {
  const readable = new WeakMap<JsonObject, JsonObject>();
  return (given) => {
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
}

/** One class for all units: of a class for each, the engine would have to look up every member anew. */
class RunHost implements CheckHost {
  readonly log: Log;
  readonly now: () => number;
  readonly #unit: UnitHost;
  readonly #call: CheckCall;
  /** From its first call on; the run itself is ended by its signal. */
  #until: number | undefined;

  constructor(unit: UnitHost, call: CheckCall) {
    this.log = unit.log;
    this.now = unit.capabilities.now;
    this.#unit = unit;
    this.#call = call;
  }

  get credentials(): JsonObject {
    return this.#unit.credentialsOf(this.#call.credentials);
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get cache() {
    const { caches, manifest } = this.#unit;
    return caches(manifest.name, this.#call.principal.access?.organisationId);
  }

  get code(): CodeRunner {
    const { manifest, capabilities } = this.#unit;
    this.#grant(manifest.permissions?.sandbox, 'permissions.sandbox');
    return capabilities.code(this, this.#call.principal.access?.organisationId);
  }

  async fetch(url: string, request: CheckFetch = {}): Promise<FetchReply> {
    const { manifest, capabilities } = this.#unit;
    const now = this.now();
    this.#until ??= now + this.#call.timeoutMs;
    const leftMs = Math.max(1, Math.min(longestMs, this.#until - now));
    const full: FetchRequest = {
      method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
      headers: { ...this.#call.forward, ...lowerCase(request.headers) },
      timeoutMs: Math.min(request.timeoutMs ?? leftMs, leftMs),
      signal: this.#call.signal,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.maxBytes === undefined ? {} : { maxBytes: request.maxBytes }),
    };
    const allowed = checkFetch(manifest, url, full);
    return capabilities.send(allowed.target, allowed.request);
  }

  async ask(question: ModelQuestion): Promise<string> {
    const { manifest, capabilities } = this.#unit;
    this.#grant(manifest.permissions?.models, 'permissions.models');
    return capabilities.ask(question, this.#call);
  }

  header(wanted: string): string | undefined {
    const { permissions } = this.#unit.manifest;
    this.#grant(permissions?.request?.includes('credentials'), 'permissions.request: credentials');
    const name = wanted.toLowerCase();
    return isGatewayKey(name, this.#call) ? undefined : this.#call.headers[name];
  }

  #grant(granted: boolean | undefined, permission: string): void {
    if (granted === true) return;
    const text = `The guardrail ${this.#unit.manifest.name} may not do this: its plugin.json does not grant ${permission}.`;
    throw new GatewayError('forbidden', text);
  }
}
