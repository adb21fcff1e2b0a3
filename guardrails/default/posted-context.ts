import type { CheckInput, JsonObject } from 'portcullis/sdk';

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
    },
    ...(replied ? { response: { json: input.reply ?? null, text: input.text } } : {}),
    provider: input.provider,
    requestType: input.endpoint,
    metadata: input.metadata,
    eventType: replied ? 'afterRequestHook' : 'beforeRequestHook',
    requestId: input.requestId,
    traceId: input.traceId,
  };
}
