import type { Delta } from 'portcullis/sdk';
import { type EditedPart, editedBetween } from './edited-part.ts';
import { choiceOf, hasTokens, isSpoken, onlyTokens, retells, type SpokenDelta, withoutTokens } from './kinds.ts';
import type { Told } from './told.ts';

export interface Divided {
  readonly out: readonly Delta[];
  readonly rest: readonly Told[];
  /** How much of the text of each part went out. */
  readonly passed: ReadonlyMap<string, number>;
  /** The texts that went out, as the client gets them, each with its part. */
  readonly sent: readonly (readonly [key: string, text: string])[];
}

interface Leaving {
  readonly at: number;
  /** As it came. */
  readonly told: Told;
  /** With its edits made; undefined: nothing is left of it. */
  readonly delta: Delta | undefined;
}

interface Staying {
  readonly at: number;
  readonly told: Told;
}

/**
 * Of steps that are held, those that go out: of each answer up to the first text that stays. What goes alongside a text may
 * stay by itself.
 * @param edited a step that is no plain text with its edits made; undefined: it does not go out
 */
export function divided(
  held: readonly Told[],
  parts: ReadonlyMap<string, EditedPart>,
  edited: (told: Told) => Delta | undefined,
): Divided {
  const out: Leaving[] = [];
  const rest: Staying[] = [];
  const reached = new Map<string, number>();
  const stopped = new Set<string>();
  for (const [at, told] of held.entries()) {
    const { delta, pieces } = told;
    const choice = choiceOf(delta);
    if (choice !== undefined && (stopped.has(`${choice}`) || stopped.has(`${choice}/${delta.type}`))) {
      rest.push({ at, told });
      continue;
    }
    const starts = pieces.map(({ key }) => reached.get(key) ?? 0);
    const ends = pieces.map(({ text }, index) => (starts[index] ?? 0) + text.length);
    const stays = pieces.some(({ key }, index) => (parts.get(key)?.cut ?? 0) < (ends[index] ?? 0));
    const [{ key = '' } = {}] = pieces;
    const part = isSpoken(delta) ? parts.get(key) : undefined;
    if (part !== undefined && isSpoken(delta)) {
      const { leaving, staying } = parted(told, part, starts[0] ?? 0, ends[0] ?? 0);
      if (stays) {
        stopped.add(`${delta.choice}`);
        rest.push({ at, told: staying }, ...takeRetelling(out, delta));
      }
      out.push({ at, ...leaving });
    } else if (stays) {
      stopped.add(`${choice}/${delta.type}`);
      rest.push({ at, told });
    } else out.push({ at, told, delta: edited(told) });
    for (const [index, piece] of pieces.entries()) reached.set(piece.key, ends[index] ?? 0);
  }
  rest.push(...takeTokens(out));
  const passed = new Map<string, number>();
  for (const { told } of out)
    for (const { key, text } of told.pieces) passed.set(key, (passed.get(key) ?? 0) + text.length);
  return {
    out: out.flatMap(({ delta }) => delta ?? []),
    rest: rest.toSorted((a, b) => a.at - b.at).map(({ told }) => told),
    passed,
    sent: out.flatMap(({ told: { pieces }, delta }) =>
      delta !== undefined && isSpoken(delta) ? pieces.map(({ key }) => [key, delta.text] as const) : [],
    ),
  };
}

/** A step of text, up to the cut of its part and behind it. */
function parted(
  told: Told,
  part: EditedPart,
  start: number,
  end: number,
): { readonly leaving: Omit<Leaving, 'at'>; readonly staying: Told } {
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

/** What stands right before a text that stays, and may be about it: a citation is about its own block. */
function takeRetelling(out: Leaving[], { choice, block }: SpokenDelta): readonly Staying[] {
  const taken: Staying[] = [];
  for (let index = out.length - 1; index >= 0; index -= 1) {
    const step = out[index];
    if (step === undefined || choiceOf(step.told.delta) !== choice) continue;
    const { delta } = step.told;
    if (!retells(delta) || ('block' in delta && delta.block !== block)) break;
    taken.push(step);
    out.splice(index, 1);
  }
  return taken;
}

/** Tokens behind the last text of an answer that goes on: the text that they tell may be still to come. */
function takeTokens(out: Leaving[]): readonly Staying[] {
  const taken: Staying[] = [];
  const told = new Set<number>();
  for (let index = out.length - 1; index >= 0; index -= 1) {
    const step = out[index];
    if (step === undefined) continue;
    const {
      at,
      delta,
      told: { delta: came },
    } = step;
    if (came.type === 'end' || came.type === 'fault') break;
    const choice = choiceOf(came);
    if (choice === undefined) continue;
    if (came.type === 'finish' || (isSpoken(came) && came.text !== '')) told.add(choice);
    if (delta === undefined || told.has(choice) || !hasTokens(came)) continue;
    taken.push({ at, told: { delta: onlyTokens(came), pieces: [], unreadable: [] } });
    out.splice(index, 1, { ...step, delta: withoutTokens(delta) });
  }
  return taken;
}
