import { applyEdits, type Delta, type ReplyContext } from 'portcullis/sdk';
import { saysMore } from '../scan/called-name.ts';
import type { Speaker } from '../scan/reading.ts';
import { Asides } from './asides.ts';
import type { ClientFormat } from './events.ts';
import { choiceOf, goesAlongside, isSpoken, kindOf, partOf, type SpokenDelta } from './kinds.ts';
import type { HeldEdits } from './window-buffer.ts';

/** A text of a step. */
export interface Piece {
  /** Which part of which answer it belongs to. */
  readonly key: string;
  readonly speaker: Speaker;
  readonly text: string;
  /** More of the part may follow. */
  readonly goesOn: boolean;
  /** Of texts of several blocks that are one part: which of them it is of. */
  readonly block?: number;
}

/** A step, and what checks see of it. */
export interface Told {
  readonly delta: Delta;
  readonly pieces: readonly Piece[];
  /** Texts that cannot be read, a sentence each. */
  readonly unreadable: readonly string[];
}

/** Whether there is something to look at. */
export function tells({ pieces, unreadable }: Told): boolean {
  return pieces.length > 0 || unreadable.length > 0;
}

const none: readonly never[] = [];

/** Reads the steps of one stream as checks see them. */
export class Telling {
  readonly #asides: Asides;
  /** Clients join the pieces of a field, and of what is heard; everywhere else fields come whole. */
  readonly #joinsFields: boolean;
  /** By choice, the part that its last text belongs to. */
  readonly #texts = new Map<number, string>();
  #count = 0;

  constructor(dialect: ClientFormat, context: ReplyContext) {
    this.#asides = new Asides(dialect, context);
    this.#joinsFields = dialect.name === 'chat';
  }

  read(delta: Delta): Told {
    if (isSpoken(delta)) {
      const { choice: message, block, text } = delta;
      const speaker = { role: 'assistant', kind: kindOf(delta), message } as const;
      return { delta, pieces: [{ key: this.#partOf(delta), speaker, text, goesOn: true, block }], unreadable: none };
    }
    if (!goesAlongside(delta)) this.#texts.delete(choiceOf(delta) ?? -1);
    if (delta.type === 'tool-call') return this.#called(delta);
    const { fragments, unreadable } = this.#asides.read(delta);
    if (fragments.length === 0) return { delta, pieces: none, unreadable };
    const choice = choiceOf(delta) ?? -1;
    const goesOn = this.#joinsFields && (delta.type === 'audio' || (delta.type === 'extra' && choice >= 0));
    const pieces = fragments.map(({ path, role, kind, message, text }) => {
      this.#count += 1;
      const place = goesOn ? path.join('.') : this.#count;
      const speaker = { role, kind, message: message < 0 ? message : choice };
      return { key: `${choice}/${delta.type}/${place}`, speaker, text, goesOn };
    });
    return { delta, pieces, unreadable };
  }

  /**
   * A step with the edits of its pieces made; undefined where they cannot be put into it.
   * @throws GatewayError `check_failed` for an edit that would break the arguments of a tool call
   */
  edited({ delta, pieces }: Told, edits: HeldEdits): Delta | undefined {
    const keys = pieces.map(({ key }) => key);
    const made = keys.flatMap((key) => edits.get(key) ?? []);
    if (made.length === 0) return delta;
    if (delta.type === 'tool-call') return { ...delta, name: applyEdits(delta.name, made) };
    if (delta.type === 'start') {
      const { extra: _, ...start } = delta;
      return start;
    }
    const part = delta.type === 'part' ? this.#asides.edited(delta.part, keys, edits) : undefined;
    return delta.type === 'part' && part !== undefined ? { ...delta, part } : undefined;
  }

  /** Blocks of text that follow each other are one part: clients may join them, and what is told may stand across two. */
  #partOf(delta: SpokenDelta): string {
    const { choice, type } = delta;
    const key = (type === 'text' ? this.#texts.get(choice) : undefined) ?? partOf(delta);
    if (type === 'text') this.#texts.set(choice, key);
    else this.#texts.delete(choice);
    return key;
  }

  #called(delta: Extract<Delta, { type: 'tool-call' }>): Told {
    if (!saysMore(delta.name)) return { delta, pieces: none, unreadable: none };
    const { choice, block, type, name } = delta;
    const speaker = { role: 'assistant', kind: 'tool-arguments', message: choice } as const;
    return {
      delta,
      pieces: [{ key: `${choice}/${block}/${type}`, speaker, text: name, goesOn: false }],
      unreadable: none,
    };
  }
}
