import type { Delta, TextEdit } from 'portcullis/sdk';
import { Gathering, type Reading } from '../scan/reading.ts';
import { type Bounds, cutOf } from './cut.ts';
import { disjoint, type EditedPart, editedBetween } from './edited-part.ts';
import { JsonStrings } from './json-strings.ts';
import { type Said, type SaidEnds, saidOf } from './said.ts';
import { choiceOf, goesAlongside, isSpoken, isUnread, kindOf, partOf, retells, type SpokenDelta } from './speech.ts';

interface HeldPart {
  readonly first: SpokenDelta;
  text: string;
  /** Something else has begun behind it. */
  complete: boolean;
}

/** By part. */
export type SentTails = ReadonlyMap<string, string>;

/** Edits by part; positions count in the text that is held of the part. */
export type HeldEdits = ReadonlyMap<string, readonly TextEdit[]>;

/**
 * Steps that are held back until somebody has looked at them, in their order. What is released is cut so that the last
 * characters of each answer stay, and are looked at again together with what follows: no word hides in a cut.
 */
export class WindowBuffer {
  /** The last block of each choice that has begun. */
  readonly begun = new Map<number, number>();
  /** The reply says something that is no text. */
  hasUnread = false;
  readonly #bounds: Bounds;
  readonly #strings = new Map<string, JsonStrings>();
  readonly #sent = new Map<string, string>();
  readonly #said = new Map<string, Said>();
  #held: Delta[] = [];
  #parts = new Map<string, HeldPart>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** The end of what has been released of each part, as long as what stays to be looked at again. */
  get sent(): SentTails {
    return this.#sent;
  }

  /** What `reading` puts before what is held. */
  get said(): SaidEnds {
    return this.#said;
  }

  get hasText(): boolean {
    return [...this.#parts.values()].some(({ text }) => text !== '');
  }

  /** Some answer has as much text as may be held. */
  get isFull(): boolean {
    const lengths = new Map<number, number>();
    for (const { first, text } of this.#parts.values())
      lengths.set(first.choice, (lengths.get(first.choice) ?? 0) + text.length);
    return [...lengths.values()].some((length) => length >= this.#bounds.most);
  }

  add(delta: Delta): void {
    this.#held.push(delta);
    this.hasUnread ||= isUnread(delta);
    const choice = choiceOf(delta);
    if (choice !== undefined) this.begun.set(choice, 'block' in delta ? delta.block : (this.begun.get(choice) ?? -1));
    if (delta.type === 'tool-call' && delta.custom !== true)
      this.#strings.set(partOf({ ...delta, type: 'tool-arguments' }), new JsonStrings());
    if (goesAlongside(delta)) return;
    const known = isSpoken(delta) ? this.#parts.get(partOf(delta)) : undefined;
    for (const part of this.#parts.values())
      part.complete ||= part !== known && (choice ?? part.first.choice) === part.first.choice;
    if (!isSpoken(delta)) return;
    if (known === undefined) this.#parts.set(partOf(delta), { first: delta, text: delta.text, complete: false });
    else known.text += delta.text;
  }

  /** What is held, behind what has been said of it, as checks see it; the path of a fragment names its part. */
  reading(): Reading {
    const found = new Gathering();
    for (const [key, { first, text, complete }] of this.#parts) {
      const before = text === '' ? '' : (this.#said.get(key)?.text ?? '');
      found.text([key], before + text, 'assistant', kindOf(first), first.choice, !complete);
    }
    return found;
  }

  /**
   * Gives what may go out, with the edits made; of each answer that goes on, up to the first text that stays.
   * @param all nothing stays
   * @throws GatewayError `check_failed` for an edit that would break the arguments of a tool call
   */
  release(edits: HeldEdits, all: boolean): readonly Delta[] {
    const parts = this.#cut(edits, all);
    const edited = new Set<number>();
    for (const [key, { cut, edits: made }] of parts)
      if (made.some(({ start }) => start < cut)) edited.add(this.#parts.get(key)?.first.choice ?? 0);
    // What tells the same as a text in other words must not give away what was changed in it.
    const held = this.#held.filter((delta) => !retells(delta) || !edited.has(choiceOf(delta) ?? -1));
    const { out, rest } = divided(held, parts);
    for (const [key, part] of parts) {
      this.#strings.get(key)?.pass(part.text.slice(0, part.cut));
      this.#keepSaid(key, part);
    }
    this.#hold(rest);
    this.#remember(out);
    return out;
  }

  clear(): void {
    this.#hold([]);
  }

  #cut(edits: HeldEdits, all: boolean): ReadonlyMap<string, EditedPart> {
    return new Map(
      [...this.#parts].map(([key, { text, complete }]) => {
        const strings = this.#strings.get(key);
        const given = disjoint(text, edits.get(key) ?? []);
        const made = strings?.edits(text, given) ?? given;
        const cut = all || complete ? text.length : cutOf(text, made, this.#bounds);
        return [key, { text, edits: made, cut: all ? cut : (strings?.before(text, cut) ?? cut) }];
      }),
    );
  }

  #keepSaid(key: string, part: EditedPart): void {
    const goesOn = this.#parts.get(key)?.complete === false;
    const said = goesOn ? saidOf(this.#said.get(key), part, this.#bounds) : undefined;
    if (said === undefined) this.#said.delete(key);
    else this.#said.set(key, said);
  }

  #remember(out: readonly Delta[]): void {
    const { keep } = this.#bounds;
    for (const delta of out) {
      if (!isSpoken(delta) || keep === 0) continue;
      const key = partOf(delta);
      this.#sent.set(key, ((this.#sent.get(key) ?? '') + delta.text).slice(-keep));
    }
  }

  #hold(deltas: readonly Delta[]): void {
    this.#held = [];
    this.#parts = new Map();
    for (const delta of deltas) this.add(delta);
  }
}

function divided(
  held: readonly Delta[],
  parts: ReadonlyMap<string, EditedPart>,
): { readonly out: readonly Delta[]; readonly rest: readonly Delta[] } {
  const out: Delta[] = [];
  const rest: Delta[] = [];
  const reached = new Map<string, number>();
  const stopped = new Set<number>();
  for (const delta of held) {
    const choice = choiceOf(delta);
    if (choice !== undefined && stopped.has(choice)) {
      rest.push(delta);
      continue;
    }
    const part = isSpoken(delta) ? parts.get(partOf(delta)) : undefined;
    if (!isSpoken(delta) || part === undefined) {
      out.push(delta);
      continue;
    }
    const start = reached.get(partOf(delta)) ?? 0;
    const end = start + delta.text.length;
    const cut = Math.min(part.cut, end);
    reached.set(partOf(delta), end);
    if (cut < end) {
      stopped.add(delta.choice);
      rest.push(...takeRetelling(out, delta.choice), { ...delta, text: part.text.slice(cut, end) });
    }
    const text = editedBetween(part, start, cut);
    if (text !== '' || delta.text === '') out.push({ ...delta, text });
  }
  return { out, rest };
}

/** What stands right before a text that stays, and may be about it. */
function takeRetelling(out: Delta[], choice: number): readonly Delta[] {
  const taken: Delta[] = [];
  for (let index = out.length - 1; index >= 0; index -= 1) {
    const delta = out[index];
    if (delta === undefined || choiceOf(delta) !== choice) continue;
    if (!retells(delta)) break;
    taken.unshift(delta);
    out.splice(index, 1);
  }
  return taken;
}
