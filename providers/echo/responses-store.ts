import { asArray, asObject, asString, dialects, type Json, type JsonObject, type LocalReply } from 'portcullis/sdk';
import { faultReply, jsonReply } from './wire.ts';

interface Stored {
  readonly response: JsonObject;
  readonly items: readonly JsonObject[];
}

const capacity = 100;
const maxCharacters = 262_144;
const defaultPage = 20;

/** The last hundred responses, so that clients can read, continue and delete what they created. */
export class ResponsesStore {
  readonly #stored = new Map<string, Stored>();

  has(id: string): boolean {
    return this.#stored.has(id);
  }

  keep(response: JsonObject, input: Json | undefined): void {
    const id = asString(response.id);
    if (id === undefined || JSON.stringify([response, input ?? null]).length > maxCharacters) return;
    this.#stored.set(id, { response, items: itemsOf(input, id) });
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > capacity && oldest !== undefined) this.#stored.delete(oldest);
  }

  read(id: string): LocalReply {
    const stored = this.#stored.get(id);
    return stored === undefined ? absent(id) : jsonReply(200, stored.response);
  }

  remove(id: string): LocalReply {
    return this.#stored.delete(id) ? jsonReply(200, { id, object: 'response', deleted: true }) : absent(id);
  }

  /** One page: newest first unless `order=asc`, behind `after`, at most `limit` items. */
  items(id: string, query: URLSearchParams): LocalReply {
    const stored = this.#stored.get(id);
    if (stored === undefined) return absent(id);
    const ordered = query.get('order') === 'asc' ? stored.items : stored.items.toReversed();
    const start = ordered.findIndex((item) => item.id === query.get('after')) + 1;
    const limit = Math.min(Math.max(Number(query.get('limit')) || defaultPage, 1), capacity);
    const page = ordered.slice(start, start + limit);
    return jsonReply(200, {
      object: 'list',
      data: page,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
      has_more: start + page.length < ordered.length,
    });
  }
}

function absent(id: string): LocalReply {
  const message = `Response with id '${id}' not found.`;
  return faultReply({ status: 404, message, type: 'invalid_request_error' }, dialects.responses.encodeFault);
}

function itemsOf(input: Json | undefined, responseId: string): readonly JsonObject[] {
  const given = typeof input === 'string' ? [{ role: 'user', content: input }] : asArray(input);
  return given
    .map(asObject)
    .filter((item) => item !== undefined)
    .map((item, index) => ({
      id: `msg_${responseId.slice('resp_'.length)}_${index}`,
      type: 'message',
      ...item,
      ...(typeof item.content === 'string' ? { content: [{ type: 'input_text', text: item.content }] } : {}),
    }));
}
