import {
  type ChangedParts,
  type CheckInput,
  type CheckPhase,
  hideCredentials,
  type JsonObject,
  type ScannedImage,
  type ScannedText,
  type TargetContext,
  type Turn,
} from 'portcullis/sdk';
import { partsOf } from './adjoining.ts';
import { readRequest } from './read.ts';
import type { Fragment, Reading } from './reading.ts';
import { safeHeaders } from './safe-headers.ts';
import type { Scan } from './scan.ts';

/** What a phase of a target looks at. */
export interface Subject {
  readonly phase: CheckPhase;
  readonly target: TargetContext;
  /** The request's body as it stands. */
  readonly body: JsonObject;
  /** Of the part that this phase is about: the request, or the reply. */
  readonly reading: Reading;
  readonly reply: JsonObject | undefined;
  readonly changed: ChangedParts;
}

/** What checks see; everything that takes work is worked out when it is asked for. */
export class ScanInput implements CheckInput {
  readonly texts: readonly ScannedText[];
  readonly #subject: Subject;
  #body: JsonObject | undefined;
  #reply: JsonObject | undefined;
  #text: string | undefined;
  #content: string | undefined;
  #turns: readonly Turn[] | undefined;

  constructor(subject: Subject, scan: Scan) {
    this.#subject = subject;
    this.texts = scan.texts;
  }

  get phase() {
    return this.#subject.phase;
  }

  get endpoint() {
    return this.#subject.target.request.endpoint;
  }

  get provider() {
    return this.#subject.target.provider;
  }

  get model(): string {
    const { model } = this.#subject.body;
    return typeof model === 'string' ? model : '';
  }

  get stream(): boolean {
    return this.#subject.body.stream === true;
  }

  get text(): string {
    this.#text ??= joined(this.texts);
    return this.#text;
  }

  get content(): string {
    this.#content ??= contentOf(this.texts, this.phase, () => this.text);
    return this.#content;
  }

  get turns(): readonly Turn[] {
    this.#turns ??= turnsOf(this.#subject);
    return this.#turns;
  }

  get prompt(): string {
    return this.turns.findLast(({ role }) => role === 'user')?.text ?? '';
  }

  get images(): readonly ScannedImage[] {
    return this.#subject.phase === 'beforeRequest'
      ? this.#subject.reading.images.map(({ url }, index) => ({ index, url }))
      : [];
  }

  get callsTools(): boolean {
    const { phase, reading } = this.#subject;
    return phase === 'afterRequest' && reading.fragments.some(({ kind }) => kind === 'tool-arguments');
  }

  get body(): JsonObject {
    this.#body ??= hideCredentials(this.#subject.body).body;
    return this.#body;
  }

  get reply(): JsonObject | undefined {
    const { reply } = this.#subject;
    if (reply !== undefined) this.#reply ??= hideCredentials(reply).body;
    return this.#reply;
  }

  get changed() {
    return this.#subject.changed;
  }

  get headers() {
    return safeHeaders(this.#subject.target.request.headers);
  }

  get metadata() {
    return this.#subject.target.request.metadata;
  }

  get requestId() {
    return this.#subject.target.request.id;
  }

  get traceId() {
    return this.#subject.target.request.traceId;
  }

  get organisationId() {
    return this.#subject.target.request.principal.access?.organisationId;
  }

  get workspaceId() {
    return this.#subject.target.request.principal.access?.workspaceId;
  }
}

function joined(texts: readonly ScannedText[]): string {
  const [first] = texts;
  return texts.length === 1 && first !== undefined ? first.text : texts.map(({ text }) => text).join('\n');
}

function contentOf(texts: readonly ScannedText[], phase: CheckPhase, all: () => string): string {
  // Sources and the like stand beside the answers, and make none where there is none.
  const own = phase === 'beforeRequest' ? texts : texts.filter(({ message }) => message >= 0);
  const said = own.filter(({ kind }) => kind !== 'tool-arguments' && kind !== 'thinking');
  const left = said.length === 0 ? own : said;
  return left.length === texts.length ? all() : joined(left);
}

function turnsOf({ phase, target, body, reading }: Subject): readonly Turn[] {
  if (phase === 'beforeRequest') return grouped(reading.said);
  const answer = reading.said.filter(({ message }) => message === 0);
  return [...grouped(readRequest(target.request, body).said), ...grouped(answer)];
}

/** One turn for each message and role in it. */
function grouped(fragments: readonly Fragment[]): readonly Turn[] {
  const turns: { role: Turn['role']; text: string; message: number }[] = [];
  for (const fragment of fragments) {
    const { role, message, kind } = fragment;
    if (kind === 'thinking' || message < 0) continue;
    const text = partsOf(fragment).join('\n');
    const last = turns.at(-1);
    if (last !== undefined && last.message === message && last.role === role) last.text += `\n${text}`;
    else turns.push({ role, text, message });
  }
  return turns.map(({ role, text }) => ({ role, text }));
}
