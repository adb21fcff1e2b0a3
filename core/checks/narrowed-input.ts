import type { CheckInput, JsonObject, RequestPart } from 'portcullis/sdk';

const none: Readonly<Record<string, string>> = Object.freeze({});
const noBody: JsonObject = Object.freeze({});

/** What makes an input one without what a unit's manifest does not ask for. */
export function narrowing(parts: ReadonlySet<RequestPart>): (input: CheckInput) => CheckInput {
  const whole = parts.has('body') && parts.has('headers') && parts.has('metadata');
  return whole ? (input) => input : (input) => new NarrowedInput(input, parts);
}

class NarrowedInput implements CheckInput {
  readonly #input: CheckInput;
  readonly #parts: ReadonlySet<RequestPart>;

  constructor(input: CheckInput, parts: ReadonlySet<RequestPart>) {
    this.#input = input;
    this.#parts = parts;
  }

  get phase() {
    return this.#input.phase;
  }
  get endpoint() {
    return this.#input.endpoint;
  }
  get provider() {
    return this.#input.provider;
  }
  get model() {
    return this.#input.model;
  }
  get stream() {
    return this.#input.stream;
  }
  get texts() {
    return this.#input.texts;
  }
  get text() {
    return this.#input.text;
  }
  get content() {
    return this.#input.content;
  }
  get turns() {
    return this.#input.turns;
  }
  get prompt() {
    return this.#input.prompt;
  }
  get images() {
    return this.#input.images;
  }
  get callsTools() {
    return this.#input.callsTools;
  }
  get body() {
    return this.#parts.has('body') ? this.#input.body : noBody;
  }
  get reply() {
    return this.#parts.has('body') ? this.#input.reply : undefined;
  }
  get changed() {
    return this.#input.changed;
  }
  get headers() {
    return this.#parts.has('headers') ? this.#input.headers : none;
  }
  get metadata() {
    return this.#parts.has('metadata') ? this.#input.metadata : none;
  }
  get requestId() {
    return this.#input.requestId;
  }
  get traceId() {
    return this.#input.traceId;
  }
  get organisationId() {
    return this.#input.organisationId;
  }
  get workspaceId() {
    return this.#input.workspaceId;
  }
}
