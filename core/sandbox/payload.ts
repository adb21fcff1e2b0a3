import { type CheckInput, GatewayError, type Json } from 'portcullis/sdk';

/** The longest that one run may be given, in characters of JSON. */
const maxPayload = 8 * 1024 * 1024;
/** Texts of one length that the next one of it is compared with. */
const maxCompared = 8;
const configs = new WeakMap<object, string>();

export interface Order {
  readonly step: 'describe' | 'run' | 'accept';
  readonly check?: string;
  readonly config?: Json;
  readonly credentials?: Json;
  readonly now?: number;
  readonly input?: CheckInput;
}

/**
 * What a guest is given: a line of JSON, and then the texts as they are, for to write and read long ones as JSON takes most of
 * the time. Each stands in it once, however many members show it; `unpackInput` is the reverse.
 * @throws GatewayError `check_failed` when there is too much
 */
export function payloadOf({ step, check, config = null, credentials = {}, now = 0, input }: Order): string {
  const head = `{"step":"${step}","check":${JSON.stringify(check ?? '')},"now":${now},"credentials":${JSON.stringify(credentials)}`;
  const { strings, ...rest } = input === undefined ? { strings: [] } : packed(input);
  const inputText = input === undefined ? '' : `,"input":${JSON.stringify(rest)}`;
  const payload = `${head},"config":${configText(config)}${inputText}}\n${strings.join('')}`;
  if (payload.length <= maxPayload) return payload;
  throw new GatewayError('check_failed', 'The request is too large to be checked in the sandbox: 8 MiB are accepted.');
}

/** Configs are compiled once and used for many runs. */
function configText(config: Json): string {
  if (typeof config !== 'object' || config === null) return JSON.stringify(config);
  const known = configs.get(config);
  if (known !== undefined) return known;
  const text = JSON.stringify(config);
  configs.set(config, text);
  return text;
}

/** Texts, each of them once. By their lengths, for to look one up by itself would read all of it. */
class Texts {
  readonly strings: string[] = [];
  readonly #places = new Map<number, number[]>();

  place(text: string): number {
    const same = this.#places.get(text.length) ?? [];
    for (const at of same) if (this.strings[at] === text) return at;
    const at = this.strings.push(text) - 1;
    // Many of one length, which may be alike to their ends, are not compared with each other.
    if (same.length < maxCompared) same.push(at);
    this.#places.set(text.length, same);
    return at;
  }
}

function packed(input: CheckInput) {
  const seen = new Texts();
  const { strings } = seen;
  const place = (text: string) => seen.place(text);
  const texts = input.texts.map(({ role, kind, message, text, adjoins = false, goesOn = false }) =>
    adjoins || goesOn
      ? ([role, kind, message, place(text), adjoins, goesOn] as const)
      : ([role, kind, message, place(text)] as const),
  );
  const joined = input.texts.map(({ text }) => text).join('\n');
  const placeOrJoined = (text: string) => (text === joined ? -1 : place(text));
  return {
    texts,
    turns: input.turns.map(({ role, text }) => [role, place(text)] as const),
    text: placeOrJoined(input.text),
    content: placeOrJoined(input.content),
    prompt: place(input.prompt),
    strings,
    lengths: strings.map(({ length }) => length),
    // Always the same members: objects of one shape are read faster.
    reply: input.reply ?? null,
    organisationId: input.organisationId ?? null,
    workspaceId: input.workspaceId ?? null,
    rest: {
      phase: input.phase,
      endpoint: input.endpoint,
      provider: input.provider,
      model: input.model,
      stream: input.stream,
      images: input.images.map(({ index, url }) => ({ index, url })),
      callsTools: input.callsTools,
      changed: { request: input.changed.request, reply: input.changed.reply },
      body: input.body,
      headers: input.headers,
      metadata: input.metadata,
      requestId: input.requestId,
      traceId: input.traceId,
    },
  };
}
