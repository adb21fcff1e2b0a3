import type { TextEdit } from 'portcullis/sdk';
import { failed } from '../scan/patch.ts';

/**
 * Follows where strings begin and end in the arguments of a tool call, which come in pieces: what is put into a string must
 * not end it. Text that does not begin as an object is no JSON, and has no strings.
 */
export class JsonStrings {
  #first = '';
  #quoted = false;

  /** The edits of the text that comes next, as JSON. @throws GatewayError `check_failed` where one would break it */
  edits(text: string, edits: readonly TextEdit[]): readonly TextEdit[] {
    if (edits.length === 0 || !this.#isObject(text)) return edits;
    const units = unitsOf(text, this.#quoted);
    return edits.map((edit) => {
      const start = units[edit.start]?.start ?? edit.start;
      const last = units[edit.end];
      const end = last === undefined || last.start === edit.end ? edit.end : last.end;
      if (!units.slice(start, end + 1).every(({ quoted }) => quoted))
        throw failed('A change would break the JSON of a tool call.');
      return { start, end, with: JSON.stringify(edit.with).slice(1, -1) };
    });
  }

  /** The nearest place at or before `at` that is not inside an escape sequence. */
  before(text: string, at: number): number {
    return this.#isObject(text) ? (unitsOf(text, this.#quoted)[at]?.start ?? at) : at;
  }

  /** The text has been dealt with; it ends between two units. */
  pass(text: string): void {
    const isObject = this.#isObject(text);
    this.#first ||= text.trimStart().charAt(0);
    if (isObject) this.#quoted = unitsOf(text, this.#quoted)[text.length]?.quoted ?? this.#quoted;
  }

  #isObject(text: string): boolean {
    return (this.#first || text.trimStart().charAt(0)) === '{';
  }
}

interface Unit {
  /** Where the character, or the escape sequence, that stands here begins and ends. */
  readonly start: number;
  readonly end: number;
  /** Inside a string, its quotes not included; a closing quote counts as inside, as text may be put before it. */
  readonly quoted: boolean;
}

/** For each position, also the one behind the last character. */
function unitsOf(text: string, quotedAtFirst: boolean): readonly Unit[] {
  const units: Unit[] = [];
  let quoted = quotedAtFirst;
  for (let at = 0; at < text.length; ) {
    const length = quoted && text[at] === '\\' ? (text[at + 1] === 'u' ? 6 : 2) : 1;
    const end = Math.min(at + length, text.length);
    const unit = { start: at, end, quoted };
    if (text[at] === '"') quoted = !quoted;
    for (; at < end; at += 1) units.push(unit);
  }
  units.push({ start: text.length, end: text.length, quoted });
  return units;
}
