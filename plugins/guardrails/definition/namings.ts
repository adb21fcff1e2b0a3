import type { CheckPhase, DefaultGuardrails, HookEntry } from 'portcullis/sdk';
import { guardrailPlaces, places } from './form.ts';
import type { Hook, HookList, Place } from './hook.ts';

/** A saved hook as it is named; `imposed`: by one of the defaults. */
export interface NamedHook {
  readonly name: string;
  readonly place: Place;
  /** Where it is named, for errors. */
  readonly param: string;
  readonly imposed: boolean;
}

interface InlineHook {
  readonly hook: Hook;
  readonly imposed: false;
}

type Levels = readonly DefaultGuardrails[];

export const noLevels: Levels = Object.freeze([]);
const noEntries: readonly HookEntry[] = Object.freeze([]);

/** What one config and the defaults above it name, each once, and the list that this came to last. */
class Naming {
  readonly named: readonly (NamedHook | InlineHook)[];
  readonly #entries: readonly HookEntry[];
  readonly #levels: Levels;
  #last: { readonly hooks: readonly Hook[]; readonly list: HookList } | undefined;

  constructor(entries: readonly HookEntry[], levels: Levels, named: Naming['named']) {
    this.#entries = entries;
    this.#levels = levels;
    this.named = named;
  }

  isOf(entries: readonly HookEntry[], levels: Levels): boolean {
    return entries === this.#entries && areSame(levels, this.#levels);
  }

  /** @param hooks one for each that is named. The same list for the same hooks, so that what is worked out of it can be kept. */
  listOf(hooks: readonly Hook[]): HookList {
    if (this.#last === undefined || !areSame(hooks, this.#last.hooks)) {
      const imposed = new Set(hooks.filter((_, index) => this.named[index]?.imposed === true));
      // A saved guardrail may be named by its id in one place and by its slug in another.
      this.#last = { hooks, list: { hooks: [...new Set(hooks)], imposed } };
    }
    return this.#last.list;
  }
}

type Inline = (entry: HookEntry) => Hook | undefined;

/** The namings of all configs and defaults that requests have come with. */
export class Namings {
  readonly #inline: Inline;
  readonly #known = { beforeRequest: new WeakMap<object, Naming>(), afterRequest: new WeakMap<object, Naming>() };

  /** @param inline the hook of an entry that names none */
  constructor(inline: Inline) {
    this.#inline = inline;
  }

  /** Those of the entries, then those of the levels. */
  of(entries: readonly HookEntry[], levels: Levels, phase: CheckPhase): Naming {
    const own = entries.length === 0 ? noEntries : entries;
    // The innermost level is of one key or workspace: few configs share it.
    const owner = levels.at(-1) ?? own;
    const known = this.#known[phase].get(owner);
    if (known?.isOf(own, levels) === true) return known;
    const naming = new Naming(own, levels, namedBy(own, levels, phase, this.#inline));
    this.#known[phase].set(owner, naming);
    return naming;
  }
}

function namedBy(entries: readonly HookEntry[], levels: Levels, phase: CheckPhase, inline: Inline): Naming['named'] {
  const list = phase === 'beforeRequest' ? 'input' : 'output';
  const named = new Map<string | Hook, NamedHook | InlineHook>();
  for (const entry of entries) {
    const hook = inline(entry);
    if (hook !== undefined) {
      named.set(hook, { hook, imposed: false });
      continue;
    }
    const [name, place] = [String(entry.value), places[entry.source]];
    const key = `${place.type}/${name}`;
    if (!named.has(key)) named.set(key, { name, place, param: entry.path.replace(/^config\./, ''), imposed: false });
  }
  const place = guardrailPlaces[phase];
  for (const name of levels.flatMap((level) => level[list] ?? [])) {
    const key = `${place.type}/${name}`;
    const known = named.get(key) as NamedHook | undefined;
    named.set(key, { name, place, param: known?.param ?? `default ${list} guardrails`, imposed: true });
  }
  return [...named.values()];
}

function areSame<T>(some: readonly T[], others: readonly T[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}
