import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createFramer,
  type Delta,
  dialects,
  type GenerationDialect,
  type ReplyContext,
  type TargetContext,
} from 'portcullis/sdk';
import { endedWell } from '../answers.ts';
import { replyContextOf } from '../reply-context.ts';
import { eventsOf } from './events.ts';

/** Events that are read before others get their turn. */
const eventsAtOnce = 128;

/** Whether the bytes are a stream in the client's format that came to its end and tells of no error. */
export async function isComplete(bytes: Uint8Array, target: TargetContext): Promise<boolean> {
  const { dialect: name } = target.request;
  const dialect = name === undefined ? undefined : dialects[name];
  if (dialect?.kind !== 'generation') return false;
  try {
    return await endsWell(eventsOf(bytes), dialect, replyContextOf(target));
  } catch {
    // The framer refuses what is no stream of events.
    return false;
  }
}

async function endsWell(
  events: readonly Uint8Array[],
  dialect: GenerationDialect,
  context: ReplyContext,
): Promise<boolean> {
  const framer = createFramer('sse');
  const decoder = dialect.decodeStream(context);
  const reading = new Reading();
  for (const [index, event] of events.entries()) {
    for (const frame of framer.push(event)) reading.see(decoder.push(frame));
    if (reading.failed) return false;
    if (index % eventsAtOnce === eventsAtOnce - 1) await nextTurn();
  }
  for (const frame of framer.end()) reading.see(decoder.push(frame));
  if (dialect.endsByClosing === true) reading.see(decoder.end());
  // What a decoder adds at the end of a stream that forgot it does not count: the client was sent no end either.
  return reading.ended && !reading.failed;
}

class Reading {
  ended = false;
  failed = false;

  see(deltas: readonly Delta[]): void {
    for (const delta of deltas) {
      if (delta.type === 'end') this.ended = true;
      // A decoder makes a finish at the end for an answer that had none: only the provider's own word counts.
      if (delta.type === 'fault' || (delta.type === 'finish' && !endedWell(delta.native, delta.reason)))
        this.failed = true;
    }
  }
}
