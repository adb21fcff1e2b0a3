import { asNumber, asObject, asString, type JsonObject } from '../../json.ts';
import type { Delta } from '../neutral.ts';
import { decodeCitation } from './citations.ts';

type Kind = 'text' | 'thinking';

/**
 * Puts the pieces of one streamed message into parts. Content and tool calls are numbered apart from each other; a call that
 * begins before the one in front of it has ended waits for that end.
 */
export class StreamParts {
  callsTools = false;
  readonly #newCallId: () => string;
  /** What the open part is: `text:0`, `thinking:0`, `plan`, `call:0`. */
  #open = '';
  #block = -1;
  /** Events of calls that wait, by call, in the order in which they began. */
  readonly #waiting = new Map<string, { readonly event: JsonObject; readonly type: string }[]>();

  constructor(newCallId: () => string) {
    this.#newCallId = newCallId;
  }

  /** The deltas of an event other than `message-start` and `message-end`; events of no other kind give none. */
  read(event: JsonObject, type: string | undefined): readonly Delta[] {
    const message = asObject(asObject(event.delta)?.message) ?? {};
    switch (type) {
      case 'content-start':
      case 'content-delta':
        return this.#content(event, asObject(message.content) ?? {});
      case 'tool-plan-delta':
        return this.#say('plan', 'text', asString(message.tool_plan));
      case 'tool-call-start':
      case 'tool-call-delta':
      case 'tool-call-end':
        return this.#call(event, type, asObject(message.tool_calls) ?? {});
      case 'citation-start':
        return this.#cite(asObject(message.citations));
      default:
        return [];
    }
  }

  /** What still waits. */
  close(): readonly Delta[] {
    return this.#admit(true);
  }

  #content(event: JsonObject, content: JsonObject): readonly Delta[] {
    const index = asNumber(event.index) ?? 0;
    return [
      ...this.#say(`thinking:${index}`, 'thinking', asString(content.thinking)),
      ...this.#say(`text:${index}`, 'text', asString(content.text)),
    ];
  }

  #say(key: string, type: Kind, text: string | undefined): readonly Delta[] {
    return text ? [{ type, choice: 0, block: this.#in(key), text }] : [];
  }

  #cite(citation: JsonObject | undefined): readonly Delta[] {
    if (citation === undefined) return [];
    const isText = this.#open.startsWith('text:') || this.#open === 'plan';
    const block = isText ? this.#block : this.#in('text:cited');
    const place: readonly Delta[] = isText ? [] : [{ type: 'text', choice: 0, block, text: '' }];
    return [
      ...place,
      ...decodeCitation(citation).map((found): Delta => ({ type: 'citation', choice: 0, block, citation: found })),
    ];
  }

  #call(event: JsonObject, type: string, call: JsonObject): readonly Delta[] {
    const key = `call:${asNumber(event.index) ?? 0}`;
    const isOpen = this.#open === key;
    if (this.#open.startsWith('call:') && !isOpen) {
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) this.#waiting.set(key, [{ event, type }]);
      else waiting.push({ event, type });
      return [];
    }
    if (type === 'tool-call-end') {
      if (isOpen) this.#open = '';
      return isOpen ? this.#admit(false) : [];
    }
    const called = asObject(call.function);
    const text = asString(called?.arguments) ?? '';
    const begin: Delta[] = [];
    if (type === 'tool-call-start') {
      this.callsTools = true;
      this.#open = '';
      const id = asString(call.id) || this.#newCallId();
      begin.push({ type: 'tool-call', choice: 0, block: this.#in(key), id, name: asString(called?.name) ?? '' });
    } else if (!isOpen) return [];
    return text === '' ? begin : [...begin, { type: 'tool-arguments', choice: 0, block: this.#block, text }];
  }

  #admit(evenIfOpen: boolean): readonly Delta[] {
    const admitted: Delta[] = [];
    for (const [key, events] of this.#waiting) {
      if (this.#open !== '' && !evenIfOpen) break;
      this.#waiting.delete(key);
      this.#open = '';
      for (const { event, type } of events) admitted.push(...this.read(event, type));
    }
    return admitted;
  }

  /** The number of the open part of this key, or of a new one. */
  #in(key: string): number {
    if (this.#open !== key) {
      this.#block += 1;
      this.#open = key;
    }
    return this.#block;
  }
}
