import {
  type AuditEvent,
  type Checks,
  type Cost,
  type Counters,
  connectionHeaders,
  type Directory,
  type DirectoryKind,
  type EmbeddingQuestion,
  type FetchReply,
  type FetchRequest,
  type FileSections,
  GatewayError,
  type Host,
  type LogSinks,
  type Manifest,
  type MaybePromise,
  type Metrics,
  type PluginLog,
  type PriceQuestion,
  type RequestContext,
  type RequestNote,
  type SharedRedis,
  type Slot,
} from 'portcullis/sdk';
import { Exchange } from '../pipeline/exchange.ts';
import { permits } from './places.ts';

/** The mechanisms behind a host. What a plugin may have of them, its manifest says. */
export interface Capabilities {
  /** The log of the plugin of that name. */
  readonly log: (plugin: string) => PluginLog;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly newId: () => string;
  readonly env: (name: string) => string | undefined;
  readonly file: FileSections;
  /** Absent: there is no control plane. */
  readonly directory?: Directory | undefined;
  /** The keyed checksum of a text; undefined while the key is not known. Absent: there is no control plane. */
  readonly checksum?: ((text: string) => string | undefined) | undefined;
  readonly note: (request: RequestContext, note: RequestNote) => void;
  readonly checks: Checks;
  readonly counters: Counters;
  readonly metrics: Metrics;
  readonly logs: LogSinks;
  readonly price: (question: PriceQuestion) => MaybePromise<Cost | undefined>;
  readonly embed: (question: EmbeddingQuestion, request: RequestContext) => Promise<readonly number[]>;
  /** Of the plugin of that name; undefined: the operator has no Redis. */
  readonly redis: (plugin: string) => SharedRedis | undefined;
  /** Absent: there is no control plane in this process. */
  readonly report?: ((event: AuditEvent) => void) | undefined;
  /** Goes to the network through the URL guard; follows no redirect. Gets only what has been allowed. */
  readonly send: (url: URL, request: FetchRequest) => Promise<FetchReply>;
}

const longestFetchMs = 600_000;

/** The host of one plugin. Each capability checks its grant first and throws `forbidden` where there is none. */
export function createHost(manifest: Manifest, capabilities: Capabilities): Host {
  const { name, permissions = {} } = manifest;
  const { file, directory, checksum } = capabilities;
  const grant = (granted: boolean, permission: string): void => {
    if (granted) return;
    throw new GatewayError(
      'forbidden',
      `The plugin ${name} may not do this: its plugin.json does not grant ${permission}.`,
    );
  };
  const grantFile = (section: Exclude<keyof FileSections, 'defaultConfig'>): void =>
    grant(permissions.file?.includes(grantOf(section)) === true, `permissions.file: ${grantOf(section)}`);
  const kinds = new Set<DirectoryKind>(permissions.directory);

  return Object.freeze<Host>({
    name,
    log: capabilities.log(name),
    now: capabilities.now,
    random: capabilities.random,
    sleep: capabilities.sleep,
    newId: capabilities.newId,
    slot: createSlot,
    env: (variable) => {
      grant(permissions.env?.includes(variable) === true, `permissions.env: ${variable}`);
      return capabilities.env(variable);
    },
    file: (section) => {
      grantFile(section);
      return file[section];
    },
    defaultConfig: () => {
      grantFile('configs');
      return file.defaultConfig;
    },
    report: (event) => capabilities.report?.(event),
    note: capabilities.note,
    checks: permissions.checks === true ? capabilities.checks : refusing(() => grant(false, 'permissions.checks')),
    get counters() {
      grant(permissions.counters === true, 'permissions.counters');
      return capabilities.counters;
    },
    metrics: capabilities.metrics,
    get logs() {
      grant(permissions.logs === true, 'permissions.logs');
      return capabilities.logs;
    },
    price: capabilities.price,
    embed: async (question, request) => {
      grant(permissions.models === true, 'permissions.models');
      return capabilities.embed(question, request);
    },
    get redis() {
      grant(permissions.redis === true, 'permissions.redis');
      return capabilities.redis(name);
    },
    controlled: directory !== undefined,
    directory: (kind, ...path) => {
      grant(kinds.has(kind), `permissions.directory: ${kind}`);
      return directory?.get(kind, ...path);
    },
    checksum: (text) => {
      grant(kinds.has('key') || kinds.has('session'), 'permissions.directory: key or session');
      return checksum?.(text);
    },
    fetch: async (url, given) => {
      const { target, request } = checkFetch(manifest, url, given);
      return capabilities.send(target, request);
    },
  });
}

/** Which guardrails run as defaults is told with the guardrails. */
function grantOf(section: Exclude<keyof FileSections, 'defaultConfig'>) {
  return section === 'defaultGuardrails' ? 'guardrails' : section;
}

/** A call that has been allowed. */
interface AllowedFetch {
  readonly target: URL;
  /** With its method as HTTP writes it. */
  readonly request: FetchRequest;
}

/** What a plugin wants to call. @throws GatewayError when its manifest does not grant it, or the call has no bounds */
export function checkFetch({ name, permissions }: Manifest, url: string, request: FetchRequest): AllowedFetch {
  const target = targetOf(name, url);
  if (!permits(permissions?.net ?? [], target.hostname, portOf(target))) {
    throw new GatewayError(
      'forbidden',
      `The plugin ${name} may not do this: its plugin.json does not grant permissions.net: ${target.hostname}:${portOf(target)}.`,
    );
  }
  checkBounds(name, request);
  checkHeaders(name, target, request);
  const method = methodOf(name, request);
  return { target, request: method === request.method ? request : { ...request, method } };
}

/** CONNECT opens a tunnel, and TRACE tells the headers of the gateway. */
const refusedMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE']);
/** A token (RFC 9110 §5.6.2). */
const token = /^[!#$%&'*+.^_`|~\w-]{1,64}$/;

function methodOf(plugin: string, { method: given = 'GET' }: FetchRequest): string {
  const method = given.toUpperCase();
  if (token.test(method) && !refusedMethods.has(method)) return method;
  const what = token.test(method) ? `by ${method}` : 'by a method that is none of HTTP';
  throw new GatewayError('bad_request', `The plugin ${plugin} may not fetch ${what}.`, { param: 'method' });
}

const ofConnection: ReadonlySet<string> = new Set(connectionHeaders);

/** What is called must be what was checked: behind one address, another `host` is another place. */
function checkHeaders(plugin: string, target: URL, { headers = {} }: FetchRequest): void {
  for (const [header, value] of Object.entries(headers)) {
    const name = header.toLowerCase();
    if (!ofConnection.has(name) || (name === 'host' && value === target.host)) continue;
    const text = `The plugin ${plugin} may not set the header ${name}: it belongs to the connection.`;
    throw new GatewayError('bad_request', text, { param: `headers.${name}` });
  }
}

/** Checks that may not be used: each way to them throws. */
export function refusing(refuse: () => void): Checks {
  const refused = (): never => {
    refuse();
    throw new GatewayError('forbidden', 'This plugin may not run checks.');
  };
  return {
    get summaries() {
      return refused();
    },
    find: refused,
    ready: refused,
    checkCredentials: refused,
  };
}

/** Requests of the gateway hold the values themselves: a weak map would cost the garbage collector dear. */
function createSlot<T>(): Slot<T> {
  const key = Symbol('slot');
  const others = new WeakMap<RequestContext, T>();
  return {
    // What stands under the key of a slot has been put there by the slot.
    get: (request) => (request instanceof Exchange ? (request.slots[key] as T | undefined) : others.get(request)),
    set: (request, value) => {
      if (request instanceof Exchange) request.slots[key] = value;
      else others.set(request, value);
    },
  };
}

/** Refuses without repeating the URL, whose query may hold a secret. */
function targetOf(plugin: string, url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const speaksHttp = target?.protocol === 'https:' || target?.protocol === 'http:';
  if (target !== undefined && speaksHttp && target.username === '' && target.password === '') return target;
  throw new GatewayError(
    'bad_request',
    `The plugin ${plugin} must fetch an absolute http or https URL without user and password.`,
    { param: 'url' },
  );
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function checkBounds(plugin: string, { timeoutMs, maxBytes }: FetchRequest): void {
  const inTime = Number.isFinite(timeoutMs) && timeoutMs >= 1 && timeoutMs <= longestFetchMs;
  if (!inTime) {
    throw new GatewayError(
      'bad_request',
      `The plugin ${plugin} must fetch with a timeoutMs from 1 to ${longestFetchMs}.`,
      { param: 'timeoutMs' },
    );
  }
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes >= 1)) {
    throw new GatewayError(
      'bad_request',
      `The plugin ${plugin} must fetch with a maxBytes that is an integer of at least 1.`,
      { param: 'maxBytes' },
    );
  }
}
