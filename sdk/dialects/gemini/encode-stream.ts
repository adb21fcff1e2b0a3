import { sseFrame } from '../../framing/framing.ts';
import { compact, type JsonObject } from '../../json.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import type { Delta, Usage } from '../neutral.ts';
import { CandidateEncoder } from './encode-candidate.ts';
import { allowedInReply } from './encode-reply.ts';
import { encodeStreamFault } from './fault.ts';
import { encodeUsage } from './usage.ts';

/**
 * Writes `GenerateContentResponse` chunks. The finish reasons and the usage come in one last chunk, as the format has no
 * event that ends it; a tool call is one whole part.
 */
export function encodeStream(context: ReplyContext): StreamEncoder {
  const candidates = new Map<number, CandidateEncoder>();
  let head: JsonObject = {};
  let serviceTier: string | undefined;
  let usage: Usage | undefined;
  let closed = false;

  const chunk = (fields: JsonObject): string => sseFrame(JSON.stringify({ ...fields, ...head }));
  const candidate = (index: number): CandidateEncoder => {
    const encoder = candidates.get(index) ?? new CandidateEncoder(index, context);
    candidates.set(index, encoder);
    return encoder;
  };
  const last = (): string => {
    closed = true;
    const usageMetadata = usage === undefined ? undefined : encodeUsage(usage, serviceTier);
    const ends = [...candidates].sort(([a], [b]) => a - b).map(([, encoder]) => encoder.end());
    return chunk(compact({ candidates: ends.length === 0 ? undefined : ends, usageMetadata }));
  };

  const push = (delta: Delta): string => {
    switch (delta.type) {
      case 'start':
        head = { modelVersion: delta.model, responseId: delta.id };
        serviceTier = delta.serviceTier;
        usage = delta.usage;
        return extraChunk(delta.extra);
      case 'usage':
        usage = delta.usage;
        return '';
      case 'extra':
        if (delta.choice === undefined) return extraChunk(delta.fields);
        candidate(delta.choice).extra(delta.fields);
        return '';
      case 'end':
        return last();
      case 'fault':
        closed = true;
        return encodeStreamFault(delta.fault);
      default: {
        const encoded = candidate(delta.choice).push(delta);
        return encoded === undefined ? '' : chunk({ candidates: [encoded] });
      }
    }
  };

  const extraChunk = (fields: JsonObject | undefined): string => {
    const kept = allowedInReply(fields ?? {}, context);
    return Object.keys(kept).length === 0 ? '' : chunk(kept);
  };

  return { push: (delta) => (closed ? '' : push(delta)) };
}
