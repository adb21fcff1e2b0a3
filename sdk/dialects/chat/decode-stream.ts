import type { Frame } from '../../framing/framing.ts';
import { asNumber, asObject, asObjects, asString, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { ReplyContext, StreamDecoder } from '../dialect.ts';
import type { Delta, ProviderFault } from '../neutral.ts';
import { present } from '../present.ts';
import { brokenOff, unreadable } from '../stream-faults.ts';
import { answersOf, UsageMeter } from '../usage-meter.ts';
import { modelOf, replyFields, unknownOf } from './decode-reply.ts';
import { readFault } from './fault.ts';
import { StreamChoice } from './stream-choice.ts';
import { usageRule } from './usage.ts';

/** What tells the streams of chat and completions apart. */
export interface ChunkFormat {
  readonly idPrefix: string;
  /** What the choice of a chunk adds, in the shape of a chat delta. */
  deltaOf(choice: JsonObject): JsonObject;
  /** Log probabilities in the shape of the chat format; any other shape stays an unknown field. */
  logprobsOf(choice: JsonObject): JsonObject | undefined;
  readonly choiceFields: ReadonlySet<string>;
}

const chunkFields: ReadonlySet<string> = new Set([...replyFields, 'obfuscation']);

/** Reads streams of chat completion chunks. */
export function decodeChunks(context: ReplyContext, format: ChunkFormat): StreamDecoder {
  const choices = new Map<number, StreamChoice>();
  const heldExtra: Delta[] = [];
  const seenExtra = new Map<string, Json>();
  let started = false;
  let closed = false;
  const meter = new UsageMeter(usageRule, answersOf(context.request));

  const choiceAt = (index: number): StreamChoice => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const choice = new StreamChoice(index, context, format);
    choices.set(index, choice);
    return choice;
  };

  // Some servers send chunks without id and model before the first real one, so the stream starts with its first choice.
  const start = (chunk: JsonObject): readonly Delta[] => {
    if (started) return [];
    started = true;
    const first = present<Extract<Delta, { type: 'start' }>>({
      type: 'start',
      id: asString(chunk.id) || context.newId(format.idPrefix),
      model: modelOf(chunk, context),
      created: asNumber(chunk.created),
      serviceTier: asString(chunk.service_tier),
      systemFingerprint: asString(chunk.system_fingerprint),
    });
    return [first, ...heldExtra.splice(0)];
  };

  const usageDelta = (): readonly Delta[] => {
    const { usage } = meter;
    return usage === undefined ? [] : [{ type: 'usage', usage }];
  };

  const finish = (): readonly Delta[] => {
    closed = true;
    meter.end();
    const opened = start({});
    if (choices.size === 0) choiceAt(0);
    const finished = [...choices.values()].flatMap((choice) => choice.finish());
    return [...opened, ...finished, ...usageDelta(), { type: 'end' }];
  };

  const fail = (fault: ProviderFault): readonly Delta[] => {
    closed = true;
    return [...(started ? usageDelta() : []), { type: 'fault', fault }];
  };

  const extraOf = (chunk: JsonObject): readonly Delta[] => {
    const unknown = Object.entries(unknownOf(chunk, chunkFields) ?? {}).filter(
      ([field, value]) => seenExtra.get(field) !== value,
    );
    if (unknown.length === 0) return [];
    for (const [field, value] of unknown) seenExtra.set(field, value);
    return [{ type: 'extra', fields: Object.fromEntries(unknown) }];
  };

  const read = (chunk: JsonObject): readonly Delta[] => {
    meter.see(chunk);
    const extra = extraOf(chunk);
    const list = asObjects(chunk.choices);
    if (list.length === 0) {
      if (started) return extra;
      heldExtra.push(...extra);
      return [];
    }
    const deltas = [...start(chunk), ...extra];
    for (const [place, choice] of list.entries()) {
      deltas.push(...choiceAt(asNumber(choice.index) ?? place).add(choice));
    }
    return deltas;
  };

  return {
    meter,
    push(frame: Frame) {
      if (closed) return [];
      const data = frame.data.trim();
      if (data === '') return [];
      if (data === '[DONE]') return finish();
      const chunk = asObject(parseJson(data));
      if (frame.event === 'error' || frame.kind === 'exception') {
        return fail((chunk && readFault({ error: errorOf(chunk) }, 200)) ?? unreadable);
      }
      if (chunk === undefined) return fail(unreadable);
      const fault = readFault(chunk, 200);
      return fault === undefined ? read(chunk) : fail(fault);
    },
    end() {
      if (closed) return [];
      const complete = choices.size > 0 && [...choices.values()].every((choice) => choice.hasFinishWord);
      return complete ? finish() : fail(brokenOff);
    },
  };
}

// An error event may hold the error, an object around it, or only its text.
function errorOf(event: JsonObject): JsonObject {
  return asObject(event.error) ?? (typeof event.error === 'string' ? { ...event, message: event.error } : event);
}
