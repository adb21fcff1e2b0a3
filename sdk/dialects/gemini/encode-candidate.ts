import { asObjects, asString, compact, type JsonObject } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Delta, Logprobs } from '../neutral.ts';
import { groundingOf } from './citations.ts';
import { encodeParts, encodeToolCall, thought } from './encode-parts.ts';
import { allowedInCandidate } from './encode-reply.ts';
import { finishWord } from './finish.ts';
import { encodeLogprobs } from './logprobs.ts';

type ChoiceDelta = Exclude<Delta, { type: 'start' | 'usage' | 'extra' | 'end' | 'fault' }>;
type CallDelta = Extract<Delta, { type: 'tool-call' }>;

/** Takes the deltas of one choice in and gives its candidates; tool calls wait until they are whole. */
export class CandidateEncoder {
  private readonly index: number;
  private readonly context: ReplyContext;
  private call: (CallDelta & { text: string }) | undefined;
  private thinkingBlock = -1;
  private readonly citations: JsonObject[] = [];
  private readonly tokens: JsonObject[] = [];
  private fields: JsonObject = {};
  private finish: Extract<Delta, { type: 'finish' }> | undefined;

  constructor(index: number, context: ReplyContext) {
    this.index = index;
    this.context = context;
  }

  extra(fields: JsonObject): void {
    this.fields = { ...this.fields, ...allowedInCandidate(fields, this.context) };
  }

  push(delta: ChoiceDelta): JsonObject | undefined {
    const isOfCall = delta.type === 'tool-arguments' && delta.block === this.call?.block;
    const before = isOfCall || delta.type === 'logprobs' ? [] : this.flush();
    const parts = [...before, ...this.parts(delta)];
    return parts.length === 0 ? undefined : this.candidate(parts);
  }

  /** The candidate of the last chunk. */
  end(): JsonObject {
    const parts = this.flush();
    const { reason, native } = this.finish ?? { reason: 'stop' as const, native: undefined };
    return {
      ...compact({ groundingMetadata: groundingOf(this.citations), ...this.fields }),
      ...this.candidate(parts.length === 0 ? [{ text: '' }] : parts),
      finishReason: finishWord(reason, native),
      ...(this.tokens.length === 0 ? {} : { logprobsResult: encodeLogprobs({ content: this.tokens }) }),
    };
  }

  private parts(delta: ChoiceDelta): readonly JsonObject[] {
    switch (delta.type) {
      case 'text':
      case 'refusal':
        return delta.text === '' ? [] : [{ text: delta.text }];
      case 'thinking':
        if (delta.text === '') return [];
        this.thinkingBlock = delta.block;
        return [thought(delta.text, undefined)];
      case 'signature':
        return [
          delta.block === this.thinkingBlock
            ? thought('', delta.signature)
            : { text: '', thoughtSignature: delta.signature },
        ];
      case 'tool-call':
        this.call = { ...delta, text: '' };
        return [];
      case 'tool-arguments':
        if (delta.block === this.call?.block) this.call.text += delta.text;
        return [];
      case 'part':
        return encodeParts([delta.part], {
          same: true,
          keepThoughts: true,
          verified: false,
          path: `choices[${this.index}].parts`,
          dropped: (field) => this.context.dropped(field),
        });
      case 'citation':
        this.citations.push(delta.citation);
        return [];
      case 'logprobs':
        this.logprobs(delta.logprobs);
        return [];
      case 'audio':
        return this.spoken(delta.audio);
      case 'redacted-thinking':
        this.context.dropped(`choices[${this.index}].parts`);
        return [];
      case 'finish':
        this.finish = delta;
        return [];
    }
  }

  private logprobs(logprobs: Logprobs): void {
    this.tokens.push(...asObjects(logprobs.content));
  }

  // Fragments of the chat dialect are base64 of PCM, 16 bit, 24 kHz; a transcript has no place beside them.
  private spoken(audio: JsonObject): readonly JsonObject[] {
    const data = asString(audio.data);
    return data === undefined ? [] : [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data } }];
  }

  private flush(): readonly JsonObject[] {
    const call = this.call;
    if (call === undefined) return [];
    this.call = undefined;
    const { id, name, text, custom, signature } = call;
    const optional = { ...(custom ? { custom } : {}), ...(signature ? { signature } : {}) };
    return [encodeToolCall({ type: 'tool-call', id, name, arguments: text, ...optional })];
  }

  private candidate(parts: readonly JsonObject[]): JsonObject {
    return { content: { parts, role: 'model' }, index: this.index };
  }
}
