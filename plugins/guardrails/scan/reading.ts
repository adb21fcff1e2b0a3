import type { Json, ScannedText, SpeakerRole } from 'portcullis/sdk';
import { withPlainEscapes } from './plain-escapes.ts';

export type JsonPath = readonly (string | number)[];

/** Who says a text, and of what kind it is. */
export interface Speaker {
  readonly role: SpeakerRole;
  readonly kind: ScannedText['kind'];
  /** Which message, or which choice; -1: it belongs to the whole request, so that only the scope of all covers it. */
  readonly message: number;
}

/** One text of a body, with the place where it stands. */
export interface Fragment extends Speaker {
  readonly path: JsonPath;
  readonly text: string;
  /** The place holds an object, and the text is its JSON. */
  readonly json: boolean;
  /** More of it may come. */
  readonly goesOn: boolean;
  /** Where parts of one content meet in the text, which a client may join. */
  readonly seams?: readonly number[];
  /** It names or addresses something: checks see it, and nothing is changed in it. */
  readonly fixed?: true;
}

/** What is known of a text of a stream beside it. */
export interface Streamed extends Speaker, Pick<Fragment, 'goesOn'> {
  readonly seams?: Fragment['seams'] | undefined;
}

export interface ImagePlace {
  readonly path: JsonPath;
  readonly url: string;
}

/** All that checks can see of one body. */
export interface Reading {
  readonly fragments: readonly Fragment[];
  /** The same without what only the scope of all covers, and what need not be read for any other. */
  readonly said: readonly Fragment[];
  readonly images: readonly ImagePlace[];
  /** What holds text that cannot be read, a sentence each. */
  readonly unreadable: readonly string[];
  /** False: there can be no text here, so there is nothing to check. */
  readonly bearsText: boolean;
  /** How many turns there are; the last one is `turns - 1`. */
  readonly turns: number;
  /** Whose turn each is, even where nothing is said in it. */
  readonly speakers: readonly (SpeakerRole | undefined)[];
}

/** Gathers a reading. */
export class Gathering implements Reading {
  readonly said: Fragment[] = [];
  readonly images: ImagePlace[] = [];
  readonly unreadable: string[] = [];
  readonly bearsText = true;
  readonly speakers: (SpeakerRole | undefined)[] = [];
  turns = 0;
  readonly #described: ((found: Gathering) => void)[] = [];
  #fragments: readonly Fragment[] | undefined;

  get fragments(): readonly Fragment[] {
    if (this.#described.length === 0) return this.said;
    this.#fragments ??= [...this.said, ...this.#descriptions()];
    return this.#fragments;
  }

  /** Reads it when the scope of all asks. */
  describe(read: (found: Gathering) => void): void {
    this.#described.push(read);
  }

  #descriptions(): readonly Fragment[] {
    const found = new Gathering();
    for (const read of this.#described) read(found);
    this.unreadable.push(...found.unreadable);
    return found.said;
  }

  turn(index: number, role: SpeakerRole): void {
    this.turns = index + 1;
    this.speakers[index] = role;
  }

  text(path: JsonPath, text: string, role: SpeakerRole, kind: Fragment['kind'], message: number): void {
    this.streamed(path, text, { role, kind, message, goesOn: false });
  }

  /** A text of a stream. */
  streamed(path: JsonPath, text: string, { role, kind, message, goesOn, seams }: Streamed): void {
    if (message >= this.turns) this.turn(message, role);
    if (text === '') return;
    const inside = seams?.filter((at) => at >= 0 && at < text.length) ?? [];
    const fragment = { path, role, kind, message, text, json: false, goesOn };
    this.said.push(inside.length === 0 ? fragment : { ...fragment, seams: inside });
  }

  /** What names or addresses something. */
  fixed(path: JsonPath, text: string, { role, kind, message }: Speaker): void {
    if (message >= this.turns) this.turn(message, role);
    if (text !== '') this.said.push({ path, role, kind, message, text, json: false, goesOn: false, fixed: true });
  }

  /** What a tool is called with: a text, mostly of JSON, or the object or list itself. */
  argumentsOf(path: JsonPath, value: Json | undefined, message: number): void {
    if (typeof value === 'string') this.text(path, withPlainEscapes(value), 'assistant', 'tool-arguments', message);
    else this.#object(path, value, 'assistant', 'tool-arguments', message);
  }

  /** What a tool has given back: a text, or an object or list of its own. Lists of parts are the reader's. */
  resultOf(path: JsonPath, value: Json | undefined, message: number): void {
    if (typeof value === 'string') this.text(path, value, 'tool', 'tool-result', message);
    else this.#object(path, value, 'tool', 'tool-result', message);
  }

  #object(path: JsonPath, value: Json | undefined, role: SpeakerRole, kind: Fragment['kind'], message: number): void {
    if (typeof value !== 'object' || value === null) return;
    if (message >= this.turns) this.turn(message, role);
    this.said.push({ path, role, kind, message, text: JSON.stringify(value), json: true, goesOn: false });
  }
}

export const nothing: Reading = Object.freeze({
  fragments: [],
  said: [],
  images: [],
  unreadable: [],
  bearsText: false,
  turns: 0,
  speakers: [],
});

export function unreadable(why: string): Reading {
  return { ...nothing, unreadable: [why], bearsText: true };
}
