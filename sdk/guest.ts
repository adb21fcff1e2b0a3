/**
 * What `portcullis/sdk` is in the sandbox. A check that keeps to it runs there and in the gateway's own process alike;
 * only that what `host.cache` gives must be awaited there, and that there is neither `host.signal`, `host.header` nor
 * `host.code`. Secrets are handles: they work in headers of `host.fetch`.
 */

export type { Endpoint } from './contracts/endpoint.ts';
export type {
  AnyCheck,
  Check,
  CheckFetch,
  CheckHost,
  CheckInput,
  CheckPhase,
  Edit,
  Guardrail,
  ModelQuestion,
  ScannedImage,
  ScannedText,
  SpeakerRole,
  Turn,
  Verdict,
} from './contracts/guardrail.ts';
export { checkPhases } from './contracts/guardrail.ts';
export type { FetchReply, Log, LogFields } from './contracts/host.ts';
export { check, guardrail } from './define.ts';
export { GatewayError } from './errors.ts';
export { field, nullable } from './fields.ts';
export { callJson, type JsonCall } from './guardrails/call-json.ts';
export { composedText, composedWord } from './guardrails/composed.ts';
export { editsBetween } from './guardrails/difference.ts';
export { applyEdits, type TextEdit } from './guardrails/edits.ts';
export { type FoldedText, foldedText } from './guardrails/folded.ts';
export { seamless } from './guardrails/seamless.ts';
export { baseUrl } from './guest/base-url.ts';
export * from './json.ts';
export { type Static, schema, secret, setting, type TSchema } from './schema.ts';
