import type { Delta } from 'portcullis/sdk';
import { goesAlongside, partOf } from './kinds.ts';

type ArgumentsDelta = Extract<Delta, { type: 'tool-arguments' }>;

/** The part whose pieces come. */
interface OpenPart {
  readonly key: string;
  readonly last: ArgumentsDelta;
  /** What has begun may be JSON; undefined: nothing but white space has come. */
  readonly isJson: boolean | undefined;
  /** The beginning of an escape, or of a pair of them. */
  readonly tail: string;
}

const beginsJson = /^[{["]/;
const units = /((?:\\u[0-9a-fA-F]{4})+)(\\(?:u[0-9a-fA-F]{0,3})?$)?|\\(?:u[0-9a-fA-F]{0,3})?$|\\[\s\S]/g;
const halfCharacter = /\\ud[89ab][0-9a-f]{2}$/i;

/** Undoes the escapes in the arguments of tools that JSON can do without, as `withPlainEscapes` does, wherever pieces are cut. */
export class PlainArguments {
  readonly #open = new Map<number, OpenPart>();

  push(delta: Delta): readonly Delta[] {
    if (delta.type === 'tool-arguments') return this.#arguments(delta);
    if (this.#open.size === 0 || goesAlongside(delta)) return [delta];
    return [...('choice' in delta ? this.#close(delta.choice) : this.end()), delta];
  }

  /** What has come of escapes that have no end. */
  end(): readonly Delta[] {
    return [...this.#open.keys()].flatMap((choice) => this.#close(choice));
  }

  #arguments(delta: ArgumentsDelta): readonly Delta[] {
    const key = partOf(delta);
    const known = this.#open.get(delta.choice);
    const before = known?.key === key ? known : undefined;
    const closed = before === undefined ? this.#close(delta.choice) : [];
    const said = (before?.tail ?? '') + delta.text;
    const first = said.trimStart();
    const isJson = before?.isJson ?? (first === '' ? undefined : beginsJson.test(first));
    const { text, tail } = isJson === true ? plain(said) : { text: said, tail: '' };
    this.#open.set(delta.choice, { key, last: delta, isJson, tail });
    return text === '' && delta.text !== '' ? closed : [...closed, { ...delta, text }];
  }

  #close(choice: number): readonly Delta[] {
    const open = this.#open.get(choice);
    this.#open.delete(choice);
    return open === undefined || open.tail === '' ? [] : [{ ...open.last, text: open.tail }];
  }
}

function plain(said: string): { readonly text: string; readonly tail: string } {
  if (!said.includes('\\')) return { text: said, tail: '' };
  let tail = '';
  const text = said.replace(units, (unit: string, run: string | undefined, begun: string | undefined, at: number) => {
    if (run === undefined) {
      if (unit !== '\\' && !unit.startsWith('\\u')) return unit;
      // What is no escape, although it begins as one, is left as it is.
      if (at + unit.length < said.length) return unit;
      tail = unit;
      return '';
    }
    const isLast = at + unit.length === said.length;
    const half = isLast ? (halfCharacter.exec(run)?.[0] ?? '') : '';
    tail = half + (begun ?? '');
    return JSON.stringify(JSON.parse(`"${run.slice(0, run.length - half.length)}"`)).slice(1, -1);
  });
  return { text, tail };
}
