import { asObject, asObjects, dialects, type Outcome, parseJson, type TargetContext } from 'portcullis/sdk';

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

/** Some providers give what they have when they fail, and say so in this word. */
export const failedFinish = 'error';

/** Whether the bytes are a whole JSON object that tells of no error. */
export function isAnswer(bytes: Uint8Array, { request: { dialect } }: TargetContext): boolean {
  const json = asObject(parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')));
  if (json === undefined || (json.error ?? null) !== null) return false;
  if (asObjects(json.choices).some((choice) => choice.finish_reason === failedFinish)) return false;
  return dialect === undefined || dialects[dialect].faultOf(json, 200) === undefined;
}
