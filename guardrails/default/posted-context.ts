import { type CheckInput, hideCredentials, type JsonObject } from 'portcullis/sdk';

/**
 * What `webhook` and `log` tell the outside of a request: this list and nothing else. Neither its headers nor any
 * credential is on it.
 */
export function postedContext(input: CheckInput): JsonObject {
  const replied = input.phase === 'afterRequest';
  return {
    request: {
      json: input.body,
      text: replied ? input.prompt : input.text,
      isStreamingRequest: input.stream,
      isTransformed: input.changed.request,
    },
    // Programs read its members before there is a reply too. Only replies that succeeded are looked at.
    response: replied
      ? { json: input.reply ?? null, text: input.text, statusCode: 200, isTransformed: input.changed.reply }
      : { json: {}, text: '', statusCode: null, isTransformed: false },
    provider: input.provider,
    requestType: input.endpoint,
    metadata: hideCredentials(input.metadata).body,
    eventType: replied ? 'afterRequestHook' : 'beforeRequestHook',
    requestId: input.requestId,
    traceId: input.traceId,
  };
}
