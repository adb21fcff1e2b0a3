import { asNumber, asObject, asString, type JsonObject } from '../json.ts';
import { joinLogprobs } from './chat/logprobs.ts';
import type {
  AudioPart,
  Choice,
  Completion,
  Delta,
  Part,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  Usage,
} from './neutral.ts';
import { present } from './present.ts';

type Start = Extract<Delta, { type: 'start' }>;
type Finish = Extract<Delta, { type: 'finish' }>;

interface Gathered {
  readonly parts: Map<number, Part>;
  /** Pieces of text of a part, joined at the end so that long answers take linear time. */
  readonly pieces: Map<number, string[]>;
  readonly citations: Map<number, JsonObject[]>;
  readonly audio: JsonObject[];
  readonly logprobs: JsonObject[];
  extra: JsonObject | undefined;
  finish: Finish | undefined;
}

/** Gathers the steps of a stream. */
export interface Collector {
  /** Adds the next step; steps after `end` or `fault` add nothing. */
  push(delta: Delta): void;
  /** The answer as far as it came: a choice that never finished counts as `stop`, an empty stream as one empty choice. */
  completion(): Completion;
}

/** Makes a whole answer of a stream: the reverse of `deltasOf`. */
export function collector(): Collector {
  const choices = new Map<number, Gathered>();
  let start: Start | undefined;
  let usage: Usage | undefined;
  let extra: JsonObject | undefined;
  let closed = false;

  const choiceAt = (index: number): Gathered => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const gathered: Gathered = {
      parts: new Map(),
      pieces: new Map(),
      citations: new Map(),
      audio: [],
      logprobs: [],
      extra: undefined,
      finish: undefined,
    };
    choices.set(index, gathered);
    return gathered;
  };

  return {
    push(delta) {
      if (closed) return;
      switch (delta.type) {
        case 'start':
          start = delta;
          usage = delta.usage ?? usage;
          extra = merged(extra, delta.extra);
          return;
        case 'usage':
          usage = delta.usage;
          return;
        case 'extra':
          if (delta.choice === undefined) extra = merged(extra, delta.fields);
          else choiceAt(delta.choice).extra = merged(choiceAt(delta.choice).extra, delta.fields);
          return;
        case 'end':
        case 'fault':
          closed = true;
          return;
        case 'audio':
          choiceAt(delta.choice).audio.push(delta.audio);
          return;
        case 'logprobs':
          choiceAt(delta.choice).logprobs.push(delta.logprobs);
          return;
        case 'finish':
          choiceAt(delta.choice).finish = delta;
          return;
        case 'text':
        case 'citation':
        case 'refusal':
        case 'thinking':
        case 'signature':
        case 'redacted-thinking':
        case 'tool-call':
        case 'tool-arguments':
        case 'part':
          gather(choiceAt(delta.choice), delta);
          return;
      }
    },
    completion() {
      const indexes = choices.size === 0 ? [0] : [...choices.keys()].toSorted((a, b) => a - b);
      return present<Completion>({
        id: start?.id ?? '',
        model: start?.model ?? '',
        created: start?.created,
        choices: indexes.map((index) => choiceOf(index, choiceAt(index))),
        usage,
        serviceTier: start?.serviceTier,
        systemFingerprint: start?.systemFingerprint,
        extra,
      });
    },
  };
}

type PartDelta = Exclude<
  Delta,
  { type: 'start' | 'usage' | 'extra' | 'end' | 'fault' | 'audio' | 'logprobs' | 'finish' }
>;

function gather(into: Gathered, delta: PartDelta): void {
  const { block } = delta;
  switch (delta.type) {
    case 'text':
    case 'refusal':
      open(into, block, { type: delta.type, text: '' });
      piecesOf(into, block).push(delta.text);
      return;
    case 'citation':
      open(into, block, { type: 'text', text: '' });
      citationsOf(into, block).push(delta.citation);
      return;
    case 'thinking': {
      const before = open(into, block, { type: 'thinking', text: '' });
      const itemId = delta.itemId;
      if (before.type === 'thinking' && itemId !== undefined) into.parts.set(block, { ...before, itemId });
      piecesOf(into, block).push(delta.text);
      return;
    }
    case 'signature': {
      const before = open(into, block, { type: 'thinking', text: '' });
      // A signature may come in pieces too.
      const signature = before.type === 'thinking' ? `${before.signature ?? ''}${delta.signature}` : undefined;
      if (before.type === 'thinking' && signature !== undefined) into.parts.set(block, { ...before, signature });
      return;
    }
    case 'redacted-thinking': {
      const { choice: _, block: __, ...part } = delta;
      into.parts.set(block, part);
      return;
    }
    case 'tool-call': {
      const { choice: _, block: __, ...call } = delta;
      into.parts.set(block, { ...call, arguments: '' });
      return;
    }
    case 'tool-arguments':
      piecesOf(into, block).push(delta.text);
      return;
    case 'part':
      into.parts.set(block, delta.part);
      return;
  }
}

function open(into: Gathered, block: number, part: Part): Part {
  const before = into.parts.get(block);
  if (before !== undefined) return before;
  into.parts.set(block, part);
  return part;
}

function piecesOf(into: Gathered, block: number): string[] {
  const pieces = into.pieces.get(block) ?? [];
  into.pieces.set(block, pieces);
  return pieces;
}

function citationsOf(into: Gathered, block: number): JsonObject[] {
  const citations = into.citations.get(block) ?? [];
  into.citations.set(block, citations);
  return citations;
}

function choiceOf(index: number, gathered: Gathered): Choice {
  const { parts, pieces, citations, audio, logprobs, extra, finish } = gathered;
  const blocks = [...parts].toSorted(([a], [b]) => a - b);
  const spoken = joinAudio(audio);
  return present<Choice>({
    index,
    parts: [
      ...blocks.map(([block, part]) => whole(part, (pieces.get(block) ?? []).join(''), citations.get(block))),
      ...(spoken === undefined ? [] : [spoken]),
    ],
    finish: finish?.reason ?? 'stop',
    nativeFinish: finish?.native,
    stopSequence: finish?.stopSequence,
    logprobs: joinLogprobs(logprobs),
    extra,
  });
}

function whole(part: Part, text: string, citations: readonly JsonObject[] | undefined): Part {
  switch (part.type) {
    case 'text':
      return present<TextPart>({ ...part, text, citations });
    case 'refusal':
      return { ...part, text };
    case 'thinking':
      return { ...part, text } satisfies ThinkingPart;
    case 'tool-call':
      return { ...part, arguments: text } satisfies ToolCallPart;
    case 'redacted-thinking':
    case 'image':
    case 'file':
    case 'audio':
    case 'tool-result':
    case 'native':
      return part;
  }
}

// Each fragment is base64 of its own, with padding of its own: bytes can be joined, base64 cannot.
function joinAudio(fragments: readonly JsonObject[]): AudioPart | undefined {
  if (fragments.length === 0) return undefined;
  const bytes = fragments.map((fragment) => Buffer.from(asString(fragment.data) ?? '', 'base64'));
  const last = <T>(read: (fragment: JsonObject) => T | undefined): T | undefined =>
    fragments.map(read).findLast(isKnown);
  const transcript = fragments.map((fragment) => asString(fragment.transcript) ?? '').join('');
  return present<AudioPart>({
    type: 'audio',
    source: { kind: 'base64', mediaType: 'audio/pcm', data: Buffer.concat(bytes).toString('base64') },
    format: 'pcm16',
    transcript: transcript || undefined,
    id: last((fragment) => asString(fragment.id)),
    expiresAt: last((fragment) => asNumber(fragment.expires_at)),
  });
}

function isKnown(value: unknown): boolean {
  return value !== undefined;
}

// Fields of the message come in pieces under `message`; other objects are whole.
function merged(before: JsonObject | undefined, after: JsonObject | undefined): JsonObject | undefined {
  if (before === undefined || after === undefined) return after ?? before;
  const [earlier, later] = [asObject(before.message), asObject(after.message)];
  return { ...before, ...after, ...(earlier && later ? { message: { ...earlier, ...later } } : {}) };
}
