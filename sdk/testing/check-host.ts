import type { CheckFetch, CheckHost, CodeRunner, ModelQuestion } from '../contracts/guardrail.ts';
import type { FetchReply, LogFields } from '../contracts/host.ts';
import type { Manifest } from '../contracts/manifest.ts';
import { GatewayError } from '../errors.ts';
import { compact, type JsonObject } from '../json.ts';
import { createCheckCache } from './check-cache.ts';
import type { LogLine } from './host.ts';
import { covers } from './places.ts';
import { testTimeMs } from './test-gateway.ts';

/** Answers the calls of a check. The signal aborts when the check's time, or that of the call, is up. */
export type CheckNetwork = (url: URL, request: CheckFetch, signal: AbortSignal) => FetchReply | Promise<FetchReply>;

export interface CheckHostOptions {
  /** Given: what its permissions do not grant throws `forbidden`, as in the gateway. Absent: everything is granted. */
  readonly manifest?: Manifest;
  /** Default `{}`. */
  readonly credentials?: JsonObject;
  /** Epoch milliseconds; default 2026-01-01T00:00:00Z. */
  readonly now?: number;
  /** Of the request, lower-case names: what `header` finds. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: every call fails as unreachable. */
  readonly fetch?: CheckNetwork;
  /** The model's answer; absent: no model can be reached. */
  readonly ask?: (question: ModelQuestion) => string | Promise<string>;
  /** Absent: code of others cannot be run. */
  readonly code?: CodeRunner;
  /** Default: one that never aborts. */
  readonly signal?: AbortSignal;
}

/** A host for checks: its clock is set, its log is kept, its network and its models are functions. */
export interface TestCheckHost extends CheckHost {
  readonly logged: readonly LogLine[];
  /** Every call that was granted, in order. */
  readonly fetched: readonly { readonly url: URL; readonly request: CheckFetch }[];
  readonly asked: readonly ModelQuestion[];
}

/** Makes a host for checks. */
export function createCheckHost(options: CheckHostOptions = {}): TestCheckHost {
  const { manifest, headers = {}, now = testTimeMs, signal = new AbortController().signal } = options;
  const permissions = manifest?.permissions ?? {};
  const grant = (granted: boolean | undefined, permission: string): void => {
    if (manifest === undefined || granted === true) return;
    const text = `The guardrail ${manifest.name} may not do this: its plugin.json does not grant ${permission}.`;
    throw new GatewayError('forbidden', text);
  };
  const logged: LogLine[] = [];
  const fetched: { url: URL; request: CheckFetch }[] = [];
  const asked: ModelQuestion[] = [];
  const at =
    (level: LogLine['level']) =>
    (event: string, fields: LogFields = {}) => {
      logged.push({ level, event, fields: compact(fields) });
    };
  return {
    logged,
    fetched,
    asked,
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    now: () => now,
    credentials: options.credentials ?? {},
    signal,
    cache: createCheckCache(() => now),
    fetch: async (text, request = {}) => {
      const url = targetOf(text);
      const port = url.port || (url.protocol === 'https:' ? '443' : '80');
      grant(
        permissions.net?.some((allowed) => covers(allowed, url.hostname, port)),
        `permissions.net: ${url.hostname}:${port}`,
      );
      fetched.push({ url, request });
      return bounded(url, request, signal, options.fetch ?? unreachable);
    },
    ask: async (question) => {
      grant(permissions.models, 'permissions.models');
      if (!(Number.isInteger(question.maxTokens) && question.maxTokens >= 1 && question.maxTokens <= 4096))
        throw new GatewayError('bad_request', 'A check must ask for 1 to 4096 tokens.', { param: 'maxTokens' });
      asked.push(question);
      if (options.ask === undefined) throw new GatewayError('upstream_unreachable', 'No model could be reached.');
      const late = aborted(signal, 'The model');
      return Promise.race([late, options.ask(question)]);
    },
    header: (name) => {
      grant(permissions.request?.includes('credentials'), 'permissions.request: credentials');
      return Object.hasOwn(headers, name) ? headers[name] : undefined;
    },
    get code() {
      grant(permissions.sandbox, 'permissions.sandbox');
      return options.code ?? noRunner;
    },
  };
}

const noRunner: CodeRunner = { accept: noSandbox, run: noSandbox };

async function noSandbox(): Promise<never> {
  throw new GatewayError('not_available', 'This test has no sandbox: give its host `code`.');
}

function unreachable(url: URL): never {
  throw new GatewayError('upstream_unreachable', `${url.host} could not be reached.`);
}

function targetOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  const why = 'A check must fetch an absolute http or https URL without user and password.';
  throw new GatewayError('bad_request', why, { param: 'url' });
}

/** As the gateway's own: it ends with the check or the call, and takes no larger reply than was asked for. */
async function bounded(url: URL, request: CheckFetch, ending: AbortSignal, network: CheckNetwork): Promise<FetchReply> {
  const { timeoutMs, maxBytes = 1_048_576 } = request;
  const deadline = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => deadline.abort(), timeoutMs);
  const signal = AbortSignal.any([ending, deadline.signal]);
  try {
    const reply = await Promise.race([aborted(signal, url.host), network(url, request, signal)]);
    if (reply.body.byteLength <= maxBytes) return reply;
    throw new GatewayError('upstream_invalid', `${url.host} answered with more than ${maxBytes} bytes.`);
  } finally {
    clearTimeout(timer);
  }
}

function aborted(signal: AbortSignal, who: string): Promise<never> {
  const late = () => new GatewayError('request_timeout', `${who} did not answer in time.`);
  if (signal.aborted) return Promise.reject(late());
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(late()), { once: true });
  });
}
