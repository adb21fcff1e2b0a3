import type { CheckHost, CheckInput } from '../../contracts/guardrail.ts';
import type { RequestPart } from '../../contracts/manifest.ts';

/** What a check has reached for, granted or not. */
export interface Usage {
  /** `host:port`. */
  readonly places: Set<string>;
  readonly parts: Set<RequestPart>;
  models: boolean;
  sandbox: boolean;
  /** A run had not ended when its time was up, or would not have ended by itself. */
  hung: boolean;
  /** What all runs have taken together. */
  spentMs: number;
}

export function newUsage(): Usage {
  return { places: new Set(), parts: new Set(), models: false, sandbox: false, hung: false, spentMs: 0 };
}

/** The same input, which notes the parts of the request that are read. */
export function watchedInput(input: CheckInput, { parts }: Usage): CheckInput {
  const watched = { ...input };
  const members = [
    ['body', 'body'],
    ['reply', 'body'],
    ['headers', 'headers'],
    ['metadata', 'metadata'],
  ] as const;
  for (const [member, part] of members) {
    const get = () => {
      parts.add(part);
      return input[member];
    };
    Object.defineProperty(watched, member, { get, enumerable: true });
  }
  return Object.freeze(watched);
}

/** The same host, which notes what is asked of it before it refuses. */
export function watchedHost(host: CheckHost, usage: Usage): CheckHost {
  return {
    log: host.log,
    now: host.now,
    credentials: host.credentials,
    signal: host.signal,
    cache: host.cache,
    fetch: (url, request) => {
      if (URL.canParse(url)) usage.places.add(placeOf(new URL(url)));
      return host.fetch(url, request);
    },
    ask: (question) => {
      usage.models = true;
      return host.ask(question);
    },
    header: (name) => {
      usage.parts.add('credentials');
      return host.header(name);
    },
    get code() {
      usage.sandbox = true;
      return host.code;
    },
  };
}

function placeOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
