import {
  asObject,
  type Delta,
  type Endpoint,
  type Json,
  type JsonObject,
  omit,
  type Part,
  type ReplyContext,
} from 'portcullis/sdk';
import { Draft } from '../scan/draft.ts';
import { readLeaves } from '../scan/leaves.ts';
import { editedText, valueAt } from '../scan/patch.ts';
import { readReply } from '../scan/read.ts';
import { Gathering, type JsonPath, nothing, type Reading } from '../scan/reading.ts';
import type { ClientDialect, ClientFormat } from './events.ts';
import type { HeldEdits } from './window-buffer.ts';

interface Places {
  readonly endpoint: Endpoint;
  /** Where a part that only this format has stands in a whole reply. */
  readonly part?: JsonPath;
  /** Where the unknown fields of a choice stand that are read, and the choice without any. */
  readonly fields?: { readonly path: JsonPath; readonly choice: JsonObject };
  /** A whole reply without answers, whose unknown fields are read. */
  readonly reply?: JsonObject;
}

const places: Readonly<Record<ClientDialect, Places>> = {
  chat: {
    endpoint: 'chatComplete',
    part: ['choices', 0, 'message', 'content', 0],
    fields: { path: ['choices', 0], choice: { message: {} } },
    reply: { choices: [] },
  },
  completions: {
    endpoint: 'complete',
    fields: { path: ['choices', 0], choice: { text: '' } },
    reply: { choices: [] },
  },
  messages: { endpoint: 'messages', part: ['content', 0], reply: { content: [] } },
  responses: { endpoint: 'createModelResponse', part: ['output', 0] },
  gemini: {
    endpoint: 'chatComplete',
    part: ['candidates', 0, 'content', 'parts', 0],
    fields: { path: ['candidates', 0], choice: {} },
    reply: { candidates: [] },
  },
  cohere: { endpoint: 'chatComplete', part: ['message', 'content', 0] },
};

/** Reads the steps that are no plain text, as they stand in a whole reply: results of tools, sources, what is heard, unknown fields. */
export class Asides {
  readonly #dialect: ClientFormat;
  readonly #context: ReplyContext;
  readonly #places: Places;

  constructor(dialect: ClientFormat, context: ReplyContext) {
    this.#dialect = dialect;
    // What a strict client does not get was left out before.
    this.#context = { ...context, strict: false };
    this.#places = places[dialect.name];
  }

  read(delta: Delta): Reading {
    switch (delta.type) {
      case 'part':
        return this.#part(delta.part);
      case 'start':
        return delta.extra === undefined ? nothing : this.#ofReply(delta.extra);
      case 'extra':
        // Where there is one answer alone, what is said of it is said of the reply.
        return delta.choice === undefined || this.#places.fields === undefined
          ? this.#ofReply(delta.fields)
          : this.#fields(delta.fields);
      case 'audio':
        return this.#fields({ message: { audio: omit(delta.audio, sound) } });
      case 'citation':
        return cited(delta.citation);
      default:
        return nothing;
    }
  }

  /**
   * The part with the edits of its texts made; undefined where they cannot be.
   * @throws GatewayError `check_failed` for an edit that would break the arguments of a tool call
   */
  edited(part: Part, keys: readonly string[], edits: HeldEdits): Part | undefined {
    const place = this.#places.part;
    if (part.type !== 'native' || part.dialect !== this.#dialect.name || place === undefined) return undefined;
    const draft = new Draft(bodyOf(place, part.value));
    const { fragments } = this.#part(part);
    const madeIn = (index: number) => edits.get(keys[index] ?? '') ?? [];
    if (fragments.some(({ fixed }, index) => fixed && madeIn(index).length > 0)) return undefined;
    fragments.forEach((fragment, index) => {
      const made = madeIn(index);
      if (made.length > 0) draft.put(fragment.path, editedText(fragment, made));
    });
    const value = asObject(valueAt(draft.body, place));
    return value === undefined ? undefined : { ...part, value };
  }

  #part(part: Part): Reading {
    const { part: place } = this.#places;
    if (part.type === 'native' && part.dialect === this.#dialect.name && place !== undefined)
      return this.#whole(bodyOf(place, part.value));
    const choice = { index: 0, parts: [part], finish: 'stop' } as const;
    return this.#whole(this.#dialect.encodeReply({ id: '', model: '', choices: [choice] }, this.#context));
  }

  #fields(fields: JsonObject): Reading {
    const { fields: place } = this.#places;
    return place === undefined ? nothing : this.#whole(bodyOf(place.path, { ...place.choice, ...fields }));
  }

  #ofReply(fields: JsonObject): Reading {
    const { reply } = this.#places;
    return reply === undefined ? nothing : this.#whole({ ...fields, ...reply });
  }

  #whole(reply: JsonObject): Reading {
    return readReply(this.#places.endpoint, reply, this.#dialect.name);
  }
}

const sound: ReadonlySet<string> = new Set(['data']);

function cited(citation: JsonObject): Reading {
  const found = new Gathering();
  readLeaves(found, citation, [], { role: 'assistant', kind: 'text', message: 0 });
  return found;
}

function bodyOf(place: JsonPath, value: Json): JsonObject {
  const body = place.reduceRight<Json>(
    (inside, step) => (typeof step === 'number' ? [inside] : { [step]: inside }),
    value,
  );
  return asObject(body) ?? {};
}
