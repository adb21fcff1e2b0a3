import { asObject, asObjects, asString, type Json, type JsonObject, omit } from '../../json.ts';
import type { Delta, Part } from '../neutral.ts';
import { citationsOf } from './citations.ts';
import { decodePart } from './decode-parts.ts';
import { candidateFields } from './decode-reply.ts';
import { decodeLogprobs } from './logprobs.ts';

/** Takes the chunks of one candidate in and gives its deltas: which block is open, and what has been told. */
export class CandidateDecoder {
  finishReason: string | undefined;
  hasToolCall = false;
  private readonly choice: number;
  private readonly newCallId: () => string;
  private readonly cited = new Set<string>();
  private readonly shown = new Set<string>();
  private block = -1;
  private open: 'text' | 'thinking' | undefined;

  constructor(choice: number, newCallId: () => string) {
    this.choice = choice;
    this.newCallId = newCallId;
  }

  push(candidate: JsonObject): readonly Delta[] {
    const deltas: Delta[] = [];
    for (const wire of asObjects(asObject(candidate.content)?.parts)) deltas.push(...this.part(wire));
    for (const citation of citationsOf(candidate)) deltas.push(...this.citation(citation));
    const logprobs = decodeLogprobs(candidate);
    if (logprobs !== undefined) deltas.push({ type: 'logprobs', choice: this.choice, logprobs });
    const fields = unseen(omit(candidate, candidateFields), this.shown);
    if (Object.keys(fields).length > 0) deltas.push({ type: 'extra', choice: this.choice, fields });
    this.finishReason = asString(candidate.finishReason) ?? this.finishReason;
    return deltas;
  }

  private part(wire: JsonObject): readonly Delta[] {
    const parts = decodePart(wire, this.newCallId);
    const [first, second] = parts;
    // The signature of a text that goes on comes after it: its block cannot be opened again.
    const continues = this.open === 'text' && first?.type === 'thinking' && second?.type === 'text';
    return (continues ? [second, first] : parts).flatMap((part) => this.neutral(part, wire.thought === true));
  }

  private neutral(part: Part, isThought: boolean): readonly Delta[] {
    const choice = this.choice;
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [{ type: 'text', choice, block: this.in('text'), text: part.text }];
      case 'thinking': {
        const { text, signature } = part;
        const block = isThought ? this.in('thinking') : this.next();
        const signed: readonly Delta[] = signature ? [{ type: 'signature', choice, block, signature }] : [];
        if (signature) this.open = undefined;
        return [{ type: 'thinking', choice, block, text }, ...signed];
      }
      case 'tool-call': {
        this.hasToolCall = true;
        const { id, name, signature } = part;
        const block = this.next();
        return [
          { type: 'tool-call', choice, block, id, name, ...(signature ? { signature } : {}) },
          { type: 'tool-arguments', choice, block, text: part.arguments },
        ];
      }
      default:
        return [{ type: 'part', choice, block: this.next(), part }];
    }
  }

  private citation(citation: JsonObject): readonly Delta[] {
    const url = asString(citation.url) ?? '';
    if (this.cited.has(url)) return [];
    this.cited.add(url);
    const choice = this.choice;
    if (this.open === 'text') return [{ type: 'citation', choice, block: this.block, citation }];
    const block = this.in('text');
    return [
      { type: 'text', choice, block, text: '' },
      { type: 'citation', choice, block, citation },
    ];
  }

  /** The open block of this kind, or a new one. */
  private in(kind: 'text' | 'thinking'): number {
    if (this.open !== kind) {
      this.block += 1;
      this.open = kind;
    }
    return this.block;
  }

  private next(): number {
    this.block += 1;
    this.open = undefined;
    return this.block;
  }
}

/** The fields whose value was not given before; marks them as given. */
export function unseen(fields: JsonObject, shown: Set<string>): JsonObject {
  const fresh: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(fields)) {
    const mark = `${key}:${JSON.stringify(value)}`;
    if (shown.has(mark)) continue;
    shown.add(mark);
    fresh[key] = value;
  }
  return fresh;
}
