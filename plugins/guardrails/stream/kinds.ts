import { compact, type Delta, omit } from 'portcullis/sdk';

/** Steps of a stream that carry text, and what kind of text it is. */
const kinds = { text: 'text', refusal: 'refusal', thinking: 'thinking', 'tool-arguments': 'tool-arguments' } as const;

export type SpokenDelta = Extract<Delta, { type: keyof typeof kinds }>;

export function isSpoken(delta: Delta): delta is SpokenDelta {
  return Object.hasOwn(kinds, delta.type);
}

export function kindOf(delta: SpokenDelta) {
  return kinds[delta.type];
}

const alongside: ReadonlySet<Delta['type']> = new Set([
  'start',
  'usage',
  'extra',
  'logprobs',
  'audio',
  'citation',
  'signature',
]);

/** Whether a step may wait behind held text, which need not go out first. */
export function goesAlongside({ type }: Delta): boolean {
  return alongside.has(type);
}

/** Whether nothing more of a reply follows. */
export function isLast({ type }: Delta): boolean {
  return type === 'end' || type === 'fault';
}

const retelling: ReadonlySet<Delta['type']> = new Set(['logprobs', 'audio', 'citation', 'extra']);

/** Whether a step may tell the text of its answer once more: token by token, as sound, as a quotation. */
export function retells(delta: Delta): boolean {
  return retelling.has(delta.type) && choiceOf(delta) !== undefined;
}

const tokens: ReadonlySet<string> = new Set(['logprobs']);

/** A step without the tokens that a text of its answer was made of; undefined: nothing is left of it. */
export function withoutTokens(delta: Delta): Delta | undefined {
  if (delta.type === 'logprobs') return undefined;
  if (delta.type !== 'extra' || delta.fields.logprobs === undefined) return delta;
  const fields = omit(delta.fields, tokens);
  return Object.keys(fields).length === 0 ? undefined : { ...delta, fields };
}

/** Of a step that has tokens, these alone. */
export function onlyTokens(delta: Delta): Delta {
  return delta.type === 'extra' ? { ...delta, fields: compact({ logprobs: delta.fields.logprobs }) } : delta;
}

/** Whether a step tells tokens that some text of its answer is made of. */
export function hasTokens(delta: Delta): boolean {
  return withoutTokens(delta) !== delta;
}

/** Undefined: it belongs to the whole reply. */
export function choiceOf(delta: Delta): number | undefined {
  return 'choice' in delta ? delta.choice : undefined;
}

const unread: ReadonlySet<Delta['type']> = new Set(['part', 'audio', 'citation', 'redacted-thinking']);

/** Whether a step is of an answer that is no text. */
export function isUnread({ type }: Delta): boolean {
  return unread.has(type);
}

/** Whether a step is a part of an answer that is no text, and that a client waits for. */
export function isOfAnswer({ type }: Delta): boolean {
  return type === 'part' || type === 'audio';
}

/** Which part of which answer a step belongs to. */
export function partOf({ choice, block, type }: Pick<SpokenDelta, 'choice' | 'block' | 'type'>): string {
  return `${choice}/${block}/${type}`;
}
