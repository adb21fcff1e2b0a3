import { LRUCache } from 'lru-cache';
import {
  asObject,
  type CheckFetch,
  type CheckHost,
  type CodeRunner,
  type FetchReply,
  GatewayError,
  type ModelQuestion,
  type SandboxedCode,
} from 'portcullis/sdk';
import { permits } from '../loader/places.ts';
import { bundleCode } from './bundle.ts';
import type { Program, Sandbox } from './sandbox.ts';

const outboundCalls = 10;
/** Code has none: its parameters are for whoever runs it. */
const config = {};
const place = /^[a-zA-Z0-9*.-]+:([0-9]{1,5})$/;

/** Scripts by their source: the same for all organisations, who share no more than the text. */
const bundles = new LRUCache<string, Promise<string>>({
  max: 500,
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: (_, source) => source.length + 1,
});
/** By source, and then by what else tells programs apart: sources are long, and their hash is worth keeping. */
type Programs = LRUCache<string, LRUCache<string, Program>>;
const programs = new WeakMap<Sandbox, Programs>();

/** For whom code runs. */
export interface CodeContext {
  /** '': the operator. */
  readonly organisation: string;
  /** What the code can reach; of the network, only the places that it lists. */
  readonly host: CheckHost;
}

/** Runs code of the operator, of one organisation, in the sandbox. */
export function createCodeRunner(sandbox: Sandbox, { organisation, host }: CodeContext): CodeRunner {
  return {
    accept: async (code, param) => {
      checkPlaces(code.net);
      const program = await programOf(sandbox, organisation, code, param);
      const declared = await sandbox.describe(program).catch((cause: unknown) => {
        throw GatewayError.is(cause) && cause.code !== 'not_ready'
          ? new GatewayError('invalid_config', `${param} cannot be run: ${cause.message}`, { param, cause })
          : cause;
      });
      if (asObject(declared)?.function === true) return;
      throw new GatewayError('invalid_config', `${param} must have a function as its default export.`, { param });
    },
    run: async (code, input) => {
      checkPlaces(code.net);
      const program = await programOf(sandbox, organisation, code, 'code');
      const limited = new LimitedHost(host, code.net);
      return sandbox.run(program, { check: 'default', config, input, host: limited, timeoutMs: code.timeoutMs });
    },
  };
}

/** The same program object for the same code: it is recognised by that. */
async function programOf(
  sandbox: Sandbox,
  organisation: string,
  { source, memoryMb }: SandboxedCode,
  param: string,
): Promise<Program> {
  const bySource: Programs = programs.get(sandbox) ?? new LRUCache({ max: 500 });
  programs.set(sandbox, bySource);
  const known = bySource.get(source) ?? new LRUCache<string, Program>({ max: 200 });
  const key = `${organisation} ${memoryMb}`;
  const program = known.get(key);
  if (program !== undefined) return program;
  const made: Program = {
    id: 'custom.code',
    organisation,
    source: await bundleOf(source, param),
    memoryMb,
    outboundCalls,
    kind: 'code',
  };
  known.set(key, made);
  bySource.set(source, known);
  return made;
}

function bundleOf(source: string, param: string): Promise<string> {
  const known = bundles.get(source);
  if (known !== undefined) return known;
  const bundle = bundleCode(source, param);
  bundles.set(source, bundle);
  // A fault is told with the name of the field that it was found in.
  bundle.catch(() => bundles.delete(source));
  return bundle;
}

/** @throws GatewayError `invalid_config`: code must say where it goes */
function checkPlaces(net: readonly string[]): void {
  net.forEach((entry, index) => {
    const [, port] = place.exec(entry) ?? [];
    const host = entry.split(':')[0] ?? '';
    const named = /^(\*\.)?[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$|^[a-zA-Z0-9-]+$/.test(host);
    if (port !== undefined && Number(port) >= 1 && Number(port) <= 65_535 && named) return;
    const param = `net[${index}]`;
    const text = `${param} must be a host and a port, such as api.example.com:443 or *.example.com:443; "*" alone is not accepted.`;
    throw new GatewayError('invalid_config', text, { param });
  });
}

/** The code's own places instead of the unit's. It has no credentials. */
class LimitedHost implements CheckHost {
  readonly credentials = {};
  readonly #host: CheckHost;
  readonly #net: readonly string[];

  constructor(host: CheckHost, net: readonly string[]) {
    this.#host = host;
    this.#net = net;
  }

  get log() {
    return this.#host.log;
  }
  get signal() {
    return this.#host.signal;
  }
  get cache() {
    return this.#host.cache;
  }
  get code() {
    return this.#host.code;
  }

  now(): number {
    return this.#host.now();
  }

  ask(question: ModelQuestion): Promise<string> {
    return this.#host.ask(question);
  }

  header(name: string): string | undefined {
    return this.#host.header(name);
  }

  async fetch(url: string, request?: CheckFetch): Promise<FetchReply> {
    const target = URL.canParse(url) ? new URL(url) : undefined;
    const port = Number(target?.port) || (target?.protocol === 'https:' ? 443 : 80);
    if (target !== undefined && permits(this.#net, target.hostname, port)) return this.#host.fetch(url, request);
    const where = target === undefined ? 'a URL that is not absolute' : `${target.hostname}:${port}`;
    throw new GatewayError('forbidden', `The code may not call ${where}: its net does not list it.`);
  }
}
