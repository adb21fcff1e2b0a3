import type { Delta } from 'portcullis/sdk';
import { type EditedPart, editedBetween } from './edited-part.ts';
import { choiceOf, isSpoken, retells } from './kinds.ts';
import type { Told } from './told.ts';

export interface Divided {
  readonly out: readonly Delta[];
  readonly rest: readonly Told[];
  /** How much of the text of each part went out. */
  readonly passed: ReadonlyMap<string, number>;
}

interface Leaving {
  /** As it came. */
  readonly told: Told;
  /** With its edits made; undefined: nothing is left of it. */
  readonly delta: Delta | undefined;
}

/**
 * Of steps that are held, those that go out: of each answer up to the first text that stays.
 * @param edited a step that is no plain text with its edits made; undefined: it does not go out
 */
export function divided(
  held: readonly Told[],
  parts: ReadonlyMap<string, EditedPart>,
  edited: (told: Told) => Delta | undefined,
): Divided {
  const out: Leaving[] = [];
  const rest: Told[] = [];
  const reached = new Map<string, number>();
  const stopped = new Set<number>();
  for (const told of held) {
    const { delta, pieces } = told;
    const choice = choiceOf(delta);
    if (choice !== undefined && stopped.has(choice)) {
      rest.push(told);
      continue;
    }
    const starts = pieces.map(({ key }) => reached.get(key) ?? 0);
    const ends = pieces.map(({ text }, index) => (starts[index] ?? 0) + text.length);
    const stays = pieces.some(({ key }, index) => (parts.get(key)?.cut ?? 0) < (ends[index] ?? 0));
    if (stays && choice !== undefined) {
      stopped.add(choice);
      rest.push(...takeRetelling(out, choice, isSpoken(delta)));
    }
    const [{ key = '' } = {}] = pieces;
    const part = isSpoken(delta) ? parts.get(key) : undefined;
    if (part !== undefined) {
      const { leaving, staying } = parted(told, part, starts[0] ?? 0, ends[0] ?? 0);
      out.push(leaving);
      if (stays) rest.push(staying);
    } else if (stays) rest.push(told);
    else out.push({ told, delta: edited(told) });
    for (const [index, piece] of pieces.entries()) reached.set(piece.key, ends[index] ?? 0);
  }
  const passed = new Map<string, number>();
  for (const { told } of out)
    for (const { key, text } of told.pieces) passed.set(key, (passed.get(key) ?? 0) + text.length);
  return { out: out.flatMap(({ delta }) => delta ?? []), rest, passed };
}

/** A step of text, up to the cut of its part and behind it. */
function parted(
  told: Told,
  part: EditedPart,
  start: number,
  end: number,
): { readonly leaving: Leaving; readonly staying: Told } {
  const cut = Math.min(part.cut, end);
  const left = within(told, part.text.slice(start, cut));
  const { delta } = within(told, editedBetween(part, start, cut));
  const isEmptied = isSpoken(delta) && delta.text === '' && start < end;
  return {
    leaving: { told: left, delta: isEmptied ? undefined : delta },
    staying: within(told, part.text.slice(cut, end)),
  };
}

/** A step of text with another text. */
function within(told: Told, text: string): Told {
  const { delta } = told;
  if (!isSpoken(delta)) return told;
  return { ...told, delta: { ...delta, text }, pieces: told.pieces.map((piece) => ({ ...piece, text })) };
}

/**
 * What stands right before a text that stays, and may be about it.
 * @param telling also what has a text of its own
 */
function takeRetelling(out: Leaving[], choice: number, telling: boolean): readonly Told[] {
  const taken: Told[] = [];
  for (let index = out.length - 1; index >= 0; index -= 1) {
    const told = out[index]?.told;
    if (told === undefined || choiceOf(told.delta) !== choice) continue;
    if (!retells(told.delta) || (!telling && told.pieces.length > 0)) break;
    taken.unshift(told);
    out.splice(index, 1);
  }
  return taken;
}
