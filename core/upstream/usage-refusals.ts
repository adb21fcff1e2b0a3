import { LRUCache } from 'lru-cache';
import type { Outbound } from './outbound.ts';
import type { WireReply } from './transport.ts';

/** Where it is asked: a model of a provider at one base URL. */
export interface AskedPlace {
  readonly provider: string;
  readonly base: string;
  readonly model: string;
}

const mostPlaces = 1_000;
/** Models and bases are named by callers: what is remembered of them must not grow with them. */
const longestPlace = 1_024;
/** Hosts learn new fields; so long later one is asked again. */
const rememberedMs = 24 * 3600 * 1000;

/** Hosts that refuse to be asked for the token counts of their streams. */
export class UsageRefusals {
  readonly #until = new LRUCache<string, number>({ max: mostPlaces });
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  has(place: AskedPlace): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(keyOf(place));
    return until !== undefined && this.#now() < until;
  }

  /** Remembers it for a day. A place with a name beyond 1,024 characters is not remembered. */
  add(place: AskedPlace): void {
    const key = keyOf(place);
    if (key.length <= longestPlace) this.#until.set(key, this.#now() + rememberedMs);
  }
}

function keyOf({ provider, base, model }: AskedPlace): string {
  return `${provider}\n${base}\n${model}`;
}

export function placeOf({ unit, settings, facts }: Outbound): AskedPlace {
  return { provider: unit.name, base: settings.base, model: facts.model };
}

const readBytes = 64 * 1024;

/** Whether a reply refuses the field by which streams are asked for their token counts. */
export function refusesQuestion({ status, bytes }: WireReply): boolean {
  if ((status !== 400 && status !== 422) || bytes === undefined) return false;
  const text = bytes.toString('latin1', 0, readBytes);
  return text.includes('stream_options') || text.includes('include_usage');
}
