import type { Delta, ReplyContext } from 'portcullis/sdk';
import { partsOf } from '../scan/adjoining.ts';
import { Gathering, type Reading, type Speaker } from '../scan/reading.ts';
import type { ClientFormat } from './events.ts';
import { Telling } from './told.ts';
import { type EventText, EventTexts } from './untold.ts';

/** Most characters of one answer that are kept to be checked; what is longer cannot be looked at. */
const maxKept = 4 * 1024 * 1024;

interface SpokenPart {
  readonly speaker: Speaker;
  readonly texts: string[];
  readonly seams: number[];
  length: number;
  /** The one that the last text is of. */
  block: number | undefined;
}

/** What a stream has said, put together. */
export class Speech {
  readonly #telling: Telling;
  readonly #parts = new Map<string, SpokenPart>();
  readonly #unreadable = new Set<string>();
  /** What is said of the whole reply, which some providers say in every chunk again. */
  readonly #ofReply = new Set<string>();
  readonly #events: EventTexts;
  /** What stands in events and no step has told: pieces of a text by its place, and whole ones by themselves. */
  readonly #untold = new Map<string, { readonly speaker: Speaker; readonly texts: string[] }>();
  #length = 0;
  #untoldLength = 0;

  constructor(dialect: ClientFormat, context: ReplyContext) {
    this.#telling = new Telling(dialect, context);
    this.#events = new EventTexts(dialect.name);
  }

  /** An event as it came, and the steps that it stands for. */
  hear(data: string, steps: readonly Delta[]): void {
    const told = new Set(steps.flatMap((delta) => this.add(delta)));
    if (this.#untoldLength > maxKept) return;
    for (const event of this.#events.of(data)) if (!told.has(event.text)) this.#keep(event);
  }

  /** The texts that it tells. */
  add(delta: Delta): readonly string[] {
    if (this.#length > maxKept) return [];
    const { pieces, unreadable } = this.#telling.read(delta);
    for (const why of unreadable) this.#unreadable.add(why);
    for (const { key, speaker, text, block } of pieces) {
      if (speaker.message < 0) {
        if (this.#ofReply.has(text)) continue;
        this.#ofReply.add(text);
      }
      this.#length += text.length;
      if (this.#length > maxKept) break;
      const known = this.#parts.get(key) ?? { speaker, texts: [], seams: [], length: 0, block };
      if (known.block !== block && text !== '') known.seams.push(known.length);
      if (text !== '') known.block = block;
      known.texts.push(text);
      known.length += text.length;
      this.#parts.set(key, known);
    }
    return pieces.map(({ text }) => text);
  }

  #keep({ speaker, text, piece }: EventText): void {
    const key = piece === undefined ? ` ${text}` : `${speaker.kind} ${piece}`;
    const known = this.#untold.get(key);
    if (known !== undefined && piece === undefined) return;
    this.#untoldLength += text.length;
    if (known === undefined) this.#untold.set(key, { speaker, texts: [text] });
    else known.texts.push(text);
  }

  reading(): Reading {
    const found = new Gathering();
    found.unreadable.push(...this.#unreadable);
    if (this.#length > maxKept || this.#untoldLength > maxKept)
      found.unreadable.push('The stream is longer than what is kept for checks.');
    for (const { speaker, texts, seams } of this.#parts.values()) {
      const { kind, message } = speaker;
      if (kind === 'tool-arguments') found.argumentsOf([], texts.join(''), message);
      else found.streamed([], texts.join(''), { ...speaker, goesOn: false, seams });
    }
    const told = new Set(
      found.fragments.flatMap((part) => (part.kind === 'thinking' ? thoughts(part.text) : partsOf(part))),
    );
    for (const { speaker, texts } of this.#untold.values()) {
      const text = texts.join('');
      if (!told.has(text)) found.text([], text, speaker.role, speaker.kind, speaker.message);
    }
    return found;
  }
}

/** Several of them may be told as one, with blank lines between. */
function thoughts(text: string): readonly string[] {
  return text.includes('\n\n') ? [text, ...text.split('\n\n')] : [text];
}
