import { asNumber, asObject, asObjects, type JsonObject, omit, parseJson } from '../../json.ts';
import type { ReplyContext, StreamDecoder } from '../dialect.ts';
import type { Delta, Usage } from '../neutral.ts';
import { brokenOff, unreadable } from '../stream-faults.ts';
import { answersOf, UsageMeter } from '../usage-meter.ts';
import { CandidateDecoder, unseen } from './decode-candidate.ts';
import { blockReasonOf, createdOf, idOf, modelOf, replyFields } from './decode-reply.ts';
import { faultOf } from './fault.ts';
import { finishOf } from './finish.ts';
import { tierOf, usageRule } from './usage.ts';

/**
 * Reads a stream of `GenerateContentResponse` chunks (`alt=sse`, or the elements of the JSON array without it). The format
 * has no last event: a stream is complete when it closes after every candidate has told its finish reason.
 */
export function decodeStream(context: ReplyContext): StreamDecoder {
  const candidates = new Map<number, CandidateDecoder>();
  const shown = new Set<string>();
  const meter = new UsageMeter(usageRule, answersOf(context.request));
  let blocked: string | undefined;
  let started = false;
  let closed = false;

  const fail = (fault: Extract<Delta, { type: 'fault' }>['fault']): Delta[] => {
    closed = true;
    return [{ type: 'fault', fault }];
  };

  const chunk = (body: JsonObject): Delta[] => {
    const deltas: Delta[] = [];
    meter.see(body);
    const extra = unseen(omit(body, replyFields), shown);
    if (!started) {
      started = true;
      deltas.push(startOf(body, context, meter.usage, extra));
    } else if (Object.keys(extra).length > 0) {
      deltas.push({ type: 'extra', fields: extra });
    }
    for (const [position, candidate] of asObjects(body.candidates).entries()) {
      const index = asNumber(candidate.index) ?? position;
      const decoder = candidates.get(index) ?? new CandidateDecoder(index, () => context.newId('call_'));
      candidates.set(index, decoder);
      deltas.push(...decoder.push(candidate));
    }
    blocked ??= blockReasonOf(body);
    return deltas;
  };

  const finishes = (): readonly Delta[] | undefined => {
    if (candidates.size === 0) {
      return blocked === undefined
        ? undefined
        : [{ type: 'finish', choice: 0, reason: 'content_filter', native: blocked }];
    }
    const deltas: Delta[] = [];
    for (const [choice, { finishReason, hasToolCall }] of [...candidates].sort(([a], [b]) => a - b)) {
      if (finishReason === undefined) return undefined;
      deltas.push({ type: 'finish', choice, reason: finishOf(finishReason, hasToolCall), native: finishReason });
    }
    return deltas;
  };

  return {
    meter,
    push(frame) {
      const text = frame.data.trim();
      if (closed || text === '' || text === '[DONE]') return [];
      const json = parseJson(text);
      const body = asObject(Array.isArray(json) ? json[0] : json);
      if (body === undefined) {
        return fail(unreadable);
      }
      const fault = faultOf(body, 200);
      return fault === undefined ? chunk(body) : fail(fault);
    },
    end() {
      if (closed) return [];
      const finished = finishes();
      if (finished === undefined) {
        return fail(brokenOff);
      }
      closed = true;
      meter.end();
      const { usage } = meter;
      const total: readonly Delta[] = usage === undefined ? [] : [{ type: 'usage', usage }];
      return [...finished, ...total, { type: 'end' }];
    },
  };
}

function startOf(body: JsonObject, context: ReplyContext, usage: Usage | undefined, extra: JsonObject): Delta {
  const serviceTier = tierOf(body);
  return {
    type: 'start',
    id: idOf(body, context),
    model: modelOf(body, context),
    created: createdOf(body, context),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
