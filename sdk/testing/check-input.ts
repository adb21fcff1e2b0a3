import type { Endpoint } from '../contracts/endpoint.ts';
import type { ChangedParts, CheckInput, CheckPhase, ScannedText, SpeakerRole, Turn } from '../contracts/guardrail.ts';
import type { Manifest, RequestPart } from '../contracts/manifest.ts';
import type { JsonObject } from '../json.ts';
import { deepFreeze } from './deep-freeze.ts';

/** What matters of an input; the rest follows from it. An input itself will do as well. */
export interface GivenInput {
  /** One text: of the user before the request, of the assistant after it. Default `Hello.` */
  readonly text?: string;
  /** Takes the place of `text`. Defaults: role as above, kind `text`, each a message of its own; of a reply, all of choice 0. */
  readonly texts?: readonly (Partial<ScannedText> & Pick<ScannedText, 'text'>)[];
  /** Default: the texts that people write and read. Without `text` and `texts`, the last turn is the text. */
  readonly turns?: readonly Turn[];
  /** Default: the last turn of the user. */
  readonly prompt?: string;
  readonly phase?: CheckPhase;
  readonly endpoint?: Endpoint;
  readonly provider?: string;
  readonly model?: string;
  readonly stream?: boolean;
  /** URLs. */
  readonly images?: readonly (string | { readonly url: string })[];
  /** Default: whether a reply holds arguments of a tool. */
  readonly callsTools?: boolean;
  readonly body?: JsonObject;
  readonly reply?: JsonObject | undefined;
  /** Default: nothing was. */
  readonly changed?: Partial<ChangedParts>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly organisationId?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** An input as the runner makes it, for a chat request of nobody's organisation unless told otherwise; frozen. */
export function checkInput(given: GivenInput = {}): CheckInput {
  const { phase = 'beforeRequest' } = given;
  const texts = textsOf(given, phase);
  const turns = given.turns?.map((turn) => ({ ...turn })) ?? turnsOf(texts, given.prompt, phase);
  const readable = texts.filter(({ kind }) => kind !== 'tool-arguments' && kind !== 'thinking');
  return deepFreeze({
    phase,
    endpoint: given.endpoint ?? 'chatComplete',
    provider: given.provider ?? 'echo',
    model: given.model ?? 'test-model',
    stream: given.stream ?? false,
    texts,
    text: joined(texts),
    content: joined(readable.length === 0 ? texts : readable),
    turns,
    prompt: given.prompt ?? turns.findLast(({ role }) => role === 'user')?.text ?? '',
    images: (given.images ?? []).map((image, index) => ({ index, url: typeof image === 'string' ? image : image.url })),
    callsTools: given.callsTools ?? (phase === 'afterRequest' && texts.some(({ kind }) => kind === 'tool-arguments')),
    // What was given stays as it is: only copies are frozen.
    body: structuredClone(given.body ?? {}),
    reply: structuredClone(given.reply),
    changed: { request: false, reply: false, ...given.changed },
    headers: { ...given.headers },
    metadata: { ...given.metadata },
    requestId: given.requestId ?? 'request-1',
    traceId: given.traceId ?? 'trace-1',
    organisationId: given.organisationId,
    workspaceId: given.workspaceId,
  });
}

/** What of the input a unit gets to see: the parts that its manifest does not list are empty. */
export function visibleInput(input: CheckInput, { permissions }: Manifest): CheckInput {
  const sees = (part: RequestPart) => permissions?.request?.includes(part) === true;
  return deepFreeze({
    ...input,
    body: sees('body') ? input.body : {},
    reply: sees('body') ? input.reply : undefined,
    headers: sees('headers') ? input.headers : {},
    metadata: sees('metadata') ? input.metadata : {},
  });
}

function textsOf({ text, texts, turns }: GivenInput, phase: CheckPhase): readonly ScannedText[] {
  const role: SpeakerRole = phase === 'beforeRequest' ? 'user' : 'assistant';
  const last = turns?.at(-1);
  const single: Turn = text === undefined && last !== undefined ? last : { role, text: text ?? 'Hello.' };
  const given: NonNullable<GivenInput['texts']> = texts ?? [single];
  return given.map((each, index) => ({
    role,
    kind: 'text',
    message: phase === 'beforeRequest' ? index : 0,
    ...each,
    index,
  }));
}

/** Of a reply, the first choice; texts of one message are one turn. */
function turnsOf(texts: readonly ScannedText[], prompt: string | undefined, phase: CheckPhase): readonly Turn[] {
  const said = texts.filter(
    ({ kind, message }) =>
      kind !== 'tool-arguments' && kind !== 'thinking' && (phase === 'beforeRequest' || message === 0),
  );
  const turns: Turn[] = phase === 'afterRequest' && prompt !== undefined ? [{ role: 'user', text: prompt }] : [];
  for (const parts of Map.groupBy(said, ({ message }) => message).values()) {
    const [first] = parts;
    if (first !== undefined) turns.push({ role: first.role, text: joined(parts) });
  }
  return turns;
}

function joined(texts: readonly ScannedText[]): string {
  return texts.map(({ text }) => text).join('\n');
}
