import type { Delta, ReplyContext, TextEdit } from 'portcullis/sdk';
import { Gathering, type Reading } from '../scan/reading.ts';
import { type Bounds, cutOf } from './cut.ts';
import { divided } from './divided.ts';
import { disjoint, type EditedPart } from './edited-part.ts';
import type { ClientFormat } from './events.ts';
import { addTo, type HeldPart, seamsOf } from './held-part.ts';
import { JsonStrings } from './json-strings.ts';
import { choiceOf, goesAlongside, isSpoken, isUnread, partOf, retells, withoutTokens } from './kinds.ts';
import { type Said, type SaidEnds, saidOf } from './said.ts';
import { type Piece, Telling, type Told, tells } from './told.ts';

/** By part. */
export type SentTails = ReadonlyMap<string, string>;

const unsaid: Pick<Said, 'text' | 'seams'> = { text: '', seams: [] };

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
  /** The block at the end of what has been released of each part. */
  readonly #ended = new Map<string, number>();
  readonly #telling: Telling;
  /** Choices of which nothing more is heard, for a text of it was changed. */
  readonly #muted = new Set<number>();
  /** Choices of which something was changed: tokens may come long after the text that they tell. */
  readonly #changed = new Set<number>();
  #held: Told[] = [];
  #unreadable: readonly string[] = [];
  #parts = new Map<string, HeldPart>();

  constructor(bounds: Bounds, dialect: ClientFormat, context: ReplyContext) {
    this.#bounds = bounds;
    this.#telling = new Telling(dialect, context);
  }

  /** The end of what has been released of each part, as long as what stays to be looked at again. */
  get sent(): SentTails {
    return this.#sent;
  }

  /** What `reading` puts before what is held. */
  get said(): SaidEnds {
    return this.#said;
  }

  /** Something that is held is to be looked at. */
  get hasText(): boolean {
    return this.#unreadable.length > 0 || [...this.#parts.values()].some(({ text }) => text !== '');
  }

  /** Some answer has as much text as may be held. */
  get isFull(): boolean {
    const lengths = new Map<number, number>();
    for (const { speaker, text } of this.#parts.values())
      lengths.set(speaker.message, (lengths.get(speaker.message) ?? 0) + text.length);
    return [...lengths.values()].some((length) => length >= this.#bounds.most);
  }

  /** Whether the step tells something. */
  add(delta: Delta): boolean {
    if (delta.type === 'audio' && this.#muted.has(delta.choice)) return false;
    const left = this.#changed.has(choiceOf(delta) ?? -1) ? withoutTokens(delta) : delta;
    if (left === undefined) return false;
    const told = this.#telling.read(left);
    this.#add(told);
    return tells(told);
  }

  /** What is held, behind what has been said of it, as checks see it; the path of a fragment names its part. */
  reading(): Reading {
    const found = new Gathering();
    found.unreadable.push(...this.#unreadable);
    for (const [key, part] of this.#parts) {
      const { text: before, seams } = (part.text === '' ? undefined : this.#said.get(key)) ?? unsaid;
      const meeting = [...seams, ...seamsOf(part, this.#ended.get(key)).map((at) => at + before.length)];
      found.streamed([key], before + part.text, { ...part.speaker, goesOn: !part.complete, seams: meeting });
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
    const made = new Map([...parts].map(([key, part]) => [key, part.edits]));
    const edited = this.#edited(parts);
    // What tells the same as a text in other words must not give away what was changed in it.
    const isLost = ({ delta }: Told) => retells(delta) && edited.has(choiceOf(delta) ?? -1);
    const { out, rest, passed, sent } = divided(this.#held, parts, (told) =>
      isLost(told) ? undefined : this.#telling.edited(told, made),
    );
    for (const [key, part] of parts) {
      const cut = passed.get(key) ?? 0;
      this.#strings.get(key)?.pass(part.text.slice(0, cut));
      this.#keepSaid(key, { ...part, cut });
      const last = this.#parts.get(key)?.blocks.findLast(({ at }) => at < cut);
      if (last !== undefined) this.#ended.set(key, last.block);
    }
    // The rest of what goes on is looked at with what follows.
    this.#hold(rest.filter((told) => !isLost(told) || told.pieces.some(({ goesOn }) => goesOn)));
    this.#remember(sent);
    return out;
  }

  #add(told: Told): void {
    const { delta, pieces, unreadable } = told;
    this.#held.push(told);
    if (unreadable.length > 0) this.#unreadable = [...this.#unreadable, ...unreadable];
    this.hasUnread ||= isUnread(delta);
    const choice = choiceOf(delta);
    if (choice !== undefined) this.begun.set(choice, 'block' in delta ? delta.block : (this.begun.get(choice) ?? -1));
    if (delta.type === 'tool-call' && delta.custom !== true)
      this.#strings.set(partOf({ ...delta, type: 'tool-arguments' }), new JsonStrings());
    if (!goesAlongside(delta))
      // What goes alongside goes on beside other parts, up to the end of its answer.
      for (const [key, part] of this.#parts)
        if (part.ends === undefined || !('block' in delta))
          part.complete ||= pieces[0]?.key !== key && (choice ?? part.speaker.message) === part.speaker.message;
    for (const piece of pieces) this.#hear(piece, isSpoken(delta));
  }

  #hear(piece: Piece, divisible: boolean): void {
    const { key, speaker, goesOn } = piece;
    const ends = divisible ? undefined : [];
    const known = this.#parts.get(key) ?? { speaker, text: '', blocks: [], ends, complete: !goesOn };
    addTo(known, piece);
    this.#parts.set(key, known);
  }

  #cut(edits: HeldEdits, all: boolean): ReadonlyMap<string, EditedPart> {
    return new Map(
      [...this.#parts].map(([key, { text, ends, complete }]) => {
        const strings = this.#strings.get(key);
        const given = disjoint(text, edits.get(key) ?? []);
        const made = strings?.edits(text, given) ?? given;
        if (all || complete) return [key, { text, edits: made, cut: text.length }];
        const cut = cutOf(text, made, this.#bounds);
        if (ends !== undefined) return [key, { text, edits: made, cut: ends.findLast((end) => end <= cut) ?? 0 }];
        return [key, { text, edits: made, cut: strings?.before(text, cut) ?? cut }];
      }),
    );
  }

  /** The choices of which something is changed that goes out. */
  #edited(parts: ReadonlyMap<string, EditedPart>): ReadonlySet<number> {
    const edited = new Set<number>();
    for (const [key, { cut, edits }] of parts) {
      const choice = this.#parts.get(key)?.speaker.message ?? 0;
      if (!edits.some(({ start }) => start < cut)) continue;
      edited.add(choice);
      this.#changed.add(choice);
      if (key.startsWith(`${choice}/audio/`)) this.#muted.add(choice);
    }
    return edited;
  }

  #keepSaid(key: string, part: EditedPart): void {
    const goesOn = this.#parts.get(key)?.complete === false;
    const seams = seamsOf(this.#parts.get(key), this.#ended.get(key));
    const said = goesOn ? saidOf(this.#said.get(key), { ...part, seams }, this.#bounds) : undefined;
    if (said === undefined) this.#said.delete(key);
    else this.#said.set(key, said);
  }

  #remember(sent: readonly (readonly [key: string, text: string])[]): void {
    const { keep } = this.#bounds;
    for (const [key, text] of keep === 0 ? [] : sent)
      this.#sent.set(key, ((this.#sent.get(key) ?? '') + text).slice(-keep));
  }

  #hold(steps: readonly Told[]): void {
    this.#held = [];
    this.#unreadable = [];
    this.#parts = new Map();
    for (const told of steps) this.#add(told);
  }
}
