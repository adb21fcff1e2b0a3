import { asObject, type Json, type JsonObject } from '../json.ts';
import type { Usage } from './neutral.ts';

/** `provisional`: counts have been told, and others will follow; `final`: these are the closing ones. */
export type MeterState = 'none' | 'provisional' | 'final';

/** How one wire format tells its counts. All functions are pure. */
export interface UsageRule {
  /** The member of a whole reply that the counts are in; absent: one whose name begins with `usage`. */
  readonly member?: string;
  /** The object that holds the counts of a whole reply or of one event; undefined: it holds none. */
  countsOf(json: JsonObject): JsonObject | undefined;
  /** Undefined: it counts nothing. */
  read(counts: JsonObject): Usage | undefined;
  /** Whether counts that come with this reply or event are the closing ones, whatever else it holds. */
  closes(json: JsonObject): boolean;
  /** The choices that this reply or event finishes, with the provider's own word; absent: `closes` says all. */
  finished?(json: JsonObject): readonly (readonly [index: number, word: string])[];
  /** The provider's own word for why the answer ended, where it ends as a whole. */
  finishOf?(json: JsonObject): string | undefined;
  /** The tier that it was served with. */
  tierOf(json: JsonObject): string | undefined;
  /** The model that the reply or event names as its own; absent: the format does not tell. */
  modelOf?(json: JsonObject): string | undefined;
  /** The region that it was served in, where prices may go by it; absent: the format does not tell. */
  regionOf?(json: JsonObject): string | undefined;
}

/**
 * Follows what one reply says about its tokens. Counts of all formats are running totals: what comes later wins, field by
 * field, nothing is added up, and a count that was told does not go back to nothing.
 */
export class UsageMeter {
  readonly #rule: UsageRule;
  readonly #choices: number;
  #counts: JsonObject | undefined;
  #usage: Usage | undefined;
  #finished: Set<number> | undefined;
  #closed = false;
  #ended = false;
  #tier: string | undefined;
  #region: string | undefined;
  #model: string | undefined;
  #finish: string | undefined;

  /** `choices`: how many answers were asked for; counts that come with the end of one of several are not the last. */
  constructor(rule: UsageRule, choices = 1) {
    this.#rule = rule;
    this.#choices = choices;
  }

  get state(): MeterState {
    if (this.#counts === undefined) return 'none';
    return this.#closed || this.#ended ? 'final' : 'provisional';
  }

  get usage(): Usage | undefined {
    if (this.#usage === undefined && this.#counts !== undefined) this.#usage = summed(this.#rule.read(this.#counts));
    return this.#usage;
  }

  get tier(): string | undefined {
    return this.#tier;
  }

  get region(): string | undefined {
    return this.#region;
  }

  /** The model that the reply names, where what has been read of it tells. */
  get model(): string | undefined {
    return this.#model;
  }

  /** The provider's own word for why the answer ended; of several answers that of the last. */
  get finish(): string | undefined {
    return this.#finish;
  }

  /** Reads one event of a stream. Events without counts may be left out. */
  see(json: JsonObject): void {
    const rule = this.#rule;
    this.#tier = rule.tierOf(json) ?? this.#tier;
    this.#region = rule.regionOf?.(json) ?? this.#region;
    this.#model = (rule.modelOf?.(json) || undefined) ?? this.#model;
    this.#finish = rule.finishOf?.(json) ?? this.#finish;
    for (const [index, word] of rule.finished?.(json) ?? []) {
      this.#finished ??= new Set();
      this.#finished.add(index);
      this.#finish = word;
    }
    const counts = rule.countsOf(json);
    if (counts === undefined || rule.read(counts) === undefined) return;
    this.#counts = mergeCounts(this.#counts, counts);
    this.#usage = undefined;
    this.#closed = rule.closes(json) || (this.#finished?.size ?? 0) >= this.#choices;
  }

  /** Reads a whole reply. */
  seeWhole(json: JsonObject): void {
    this.see(json);
    this.end();
  }

  /** The stream has come to its proper end: what was told last holds. */
  end(): void {
    this.#ended = true;
  }
}

/** How many answers a request asks for; formats without a count of them give one. */
export function answersOf(request: JsonObject): number {
  const { n = candidatesOf(request), prompt } = request;
  const each = typeof n === 'number' && n > 1 ? n : 1;
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? each * Math.max(1, prompt.length) : each;
}

/** The count of a `generateContent` request, which stands in an object of its own, under either spelling. */
function candidatesOf({ generationConfig, generation_config }: JsonObject): Json | undefined {
  const config = asObject(generationConfig ?? generation_config);
  return config?.candidateCount ?? config?.candidate_count;
}

/** A total that was told before the last counts is behind them. */
function summed(usage: Usage | undefined): Usage | undefined {
  if (usage?.total === undefined) return usage;
  const least = usage.input + usage.output;
  return usage.total < least ? { ...usage, total: least } : usage;
}

/** Later counts over earlier ones; a null or a 0 takes nothing back. */
export function mergeCounts(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  if (earlier === undefined) return later;
  const merged: { [key: string]: Json } = { ...earlier };
  for (const key in later) {
    const [before, now] = [earlier[key], later[key]];
    if (now === undefined || now === null || (now === 0 && before !== undefined)) continue;
    const [inner, outer] = [asObject(before), asObject(now)];
    merged[key] = inner !== undefined && outer !== undefined ? mergeCounts(inner, outer) : now;
  }
  return merged;
}
