import { asObject, asString, GatewayError, type JsonObject, parseJson } from 'portcullis/sdk';

/** An event of a session: a JSON object with a type. */
export interface SessionEvent {
  readonly type: string;
  readonly event: JsonObject;
}

export const asksForAnswer = ['response.create'] as const;

const transcribed = 'input_audio_transcription.completed';
export const tellsOfAnswers = ['response.created', 'response.done', transcribed, 'session.created', 'session.updated'];

/** Most messages are sound: only one that holds one of the words is parsed. Undefined: its type ends with none of them. */
export function eventIn(data: Buffer, words: readonly string[]): SessionEvent | undefined {
  if (!words.some((word) => data.includes(word))) return undefined;
  const event = asObject(parseJson(data.toString('utf8')));
  const type = asString(event?.type);
  if (event === undefined || type === undefined) return undefined;
  const word = words.find((candidate) => type.endsWith(candidate));
  return word === undefined ? undefined : { type: word, event };
}

/** The same message with a member more, in front of its own. */
export function withMember(data: Buffer, name: string, value: string): Buffer {
  const at = data.indexOf('{') + 1;
  const member = Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)},`);
  return Buffer.concat([data.subarray(0, at), member, data.subarray(at)]);
}

/** In the form of the errors that a provider sends within a session. */
export function refusalEvent(error: unknown, asked: JsonObject, id: string): JsonObject {
  const known = GatewayError.is(error) ? error : new GatewayError('internal', 'The gateway failed.');
  return {
    type: 'error',
    event_id: `event_${id}`,
    error: {
      type: known.type,
      code: known.code,
      message: known.message,
      param: known.param ?? null,
      event_id: asString(asked.event_id) ?? null,
    },
  };
}
