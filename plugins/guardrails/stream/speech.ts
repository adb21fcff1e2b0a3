import type { Delta, ReplyContext } from 'portcullis/sdk';
import { Gathering, type Reading, type Speaker } from '../scan/reading.ts';
import type { ClientFormat } from './events.ts';
import { Telling } from './told.ts';

/** Most characters of one answer that are kept to be checked; what is longer cannot be looked at. */
const maxKept = 4 * 1024 * 1024;

/** What a stream has said, put together. */
export class Speech {
  readonly #telling: Telling;
  readonly #parts = new Map<string, { readonly speaker: Speaker; readonly texts: string[] }>();
  readonly #unreadable = new Set<string>();
  /** What is said of the whole reply, which some providers say in every chunk again. */
  readonly #ofReply = new Set<string>();
  #length = 0;

  constructor(dialect: ClientFormat, context: ReplyContext) {
    this.#telling = new Telling(dialect, context);
  }

  add(delta: Delta): void {
    if (this.#length > maxKept) return;
    const { pieces, unreadable } = this.#telling.read(delta);
    for (const why of unreadable) this.#unreadable.add(why);
    for (const { key, speaker, text } of pieces) {
      if (speaker.message < 0) {
        if (this.#ofReply.has(text)) continue;
        this.#ofReply.add(text);
      }
      this.#length += text.length;
      if (this.#length > maxKept) return;
      const known = this.#parts.get(key);
      if (known === undefined) this.#parts.set(key, { speaker, texts: [text] });
      else known.texts.push(text);
    }
  }

  reading(): Reading {
    const found = new Gathering();
    found.unreadable.push(...this.#unreadable);
    if (this.#length > maxKept) found.unreadable.push('The stream is longer than what is kept for checks.');
    for (const { speaker, texts } of this.#parts.values()) {
      const { role, kind, message } = speaker;
      if (kind === 'tool-arguments') found.argumentsOf([], texts.join(''), message);
      else found.text([], texts.join(''), role, kind, message);
    }
    return found;
  }
}
