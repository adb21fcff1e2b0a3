import {
  asObject,
  asObjects,
  asString,
  type DialectName,
  dialects,
  type JsonObject,
  type Outcome,
  parseJson,
  type TargetContext,
} from 'portcullis/sdk';

/** Whether the head of a reply promises what was asked for: a stream to who wants one, JSON to all others. */
export function promisesAnswer(outcome: Outcome, { body }: TargetContext): boolean {
  // Another success says that the answer is not here, or not whole.
  if (outcome.status !== 200 || outcome.error !== undefined) return false;
  return body.stream === true ? isEventStream(outcome) : /[/+]json\b/i.test(contentTypeOf(outcome));
}

export function isEventStream(outcome: Outcome): boolean {
  return contentTypeOf(outcome).toLowerCase().startsWith('text/event-stream');
}

function contentTypeOf({ headers }: Outcome): string {
  return String(headers['content-type'] ?? '');
}

/** Whether an answer that ended with this word is whole: some providers give what they have when they fail, and say `error`. */
export function endedWell(finish: string | undefined): boolean {
  return finish !== undefined && finish !== '' && finish !== 'error';
}

/** Whether a reply without an error holds all that was asked for; the other formats have replies of many shapes. */
const wholes: Partial<Record<DialectName, (reply: JsonObject) => boolean>> = {
  chat: hasFinished,
  completions: hasFinished,
  messages: (reply) => endedWell(asString(reply.stop_reason)),
  responses: ({ status }) => status === 'completed' || status === 'incomplete',
  embeddings: hasData,
  images: hasData,
};

/** Whether the bytes are a whole JSON object that holds an answer and tells of no error. */
export function isAnswer(bytes: Uint8Array, { request: { dialect, endpoint } }: TargetContext): boolean {
  const json = asObject(parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')));
  if (json === undefined || (json.error ?? null) !== null) return false;
  if (dialect === undefined) return asObjects(json.choices).every(({ finish_reason }) => finish_reason !== 'error');
  if (dialects[dialect].faultOf(json, 200) !== undefined) return false;
  // Counted tokens are in the format of messages, and are none.
  return endpoint === 'messagesCountTokens' || (wholes[dialect]?.(json) ?? true);
}

function hasFinished({ choices }: JsonObject): boolean {
  const all = asObjects(choices);
  return all.length > 0 && all.every((choice) => endedWell(asString(choice.finish_reason)));
}

function hasData({ data }: JsonObject): boolean {
  return asObjects(data).length > 0;
}
