/** The version of this contract: what a manifest's `sdk` range is checked against. */
export const sdkVersion = '1.0.0';

export * from './access/index.ts';
export {
  addedCredentials,
  credentialMask,
  hideCredentials,
  hideInText,
  namesCredential,
  repeatedForms,
  type ShownBody,
} from './body-credentials.ts';
export * from './budgets.ts';
export { baseColumns } from './columns.ts';
export { type ConfigNode, configNodes, providerNamedIn } from './config-nodes.ts';
export { connectionHeaders, hopByHopHeaders } from './connection-headers.ts';
export * from './contracts/access.ts';
export * from './contracts/auth.ts';
export * from './contracts/checks.ts';
export * from './contracts/control.ts';
export * from './contracts/counters.ts';
export * from './contracts/directory.ts';
export * from './contracts/endpoint.ts';
export * from './contracts/flow.ts';
export * from './contracts/guardrail.ts';
export * from './contracts/hooks.ts';
export * from './contracts/host.ts';
export * from './contracts/logs.ts';
export * from './contracts/manifest.ts';
export * from './contracts/metrics.ts';
export * from './contracts/note.ts';
export * from './contracts/plugin.ts';
export * from './contracts/policies.ts';
export * from './contracts/price.ts';
export * from './contracts/prompts.ts';
export * from './contracts/provider.ts';
export * from './contracts/provider-trial.ts';
export * from './contracts/request.ts';
export * from './contracts/resource.ts';
export * from './contracts/saved-names.ts';
export * from './contracts/store.ts';
export { check, guardrail, isGuardrail, isPlugin, isProvider, plugin, provider } from './define.ts';
export { askingUsage } from './dialects/asking-usage.ts';
export { bounded } from './dialects/bounded.ts';
export { collector } from './dialects/collect.ts';
export * from './dialects/dialect.ts';
export { isMixedInput } from './dialects/embeddings/mixed.ts';
export { faultStatus, faultType } from './dialects/fault.ts';
export { dialects } from './dialects/index.ts';
export { type ModelForm, modelForms } from './dialects/models/form.ts';
export {
  decodeModels,
  encodeModel,
  encodeModels,
  type ModelEntry,
  type ReadModel,
  readModels,
} from './dialects/models/index.ts';
export * from './dialects/neutral.ts';
export { deltasOf } from './dialects/replay.ts';
export { isForeignReasoning } from './dialects/responses/signatures.ts';
export { clientName, fitToolNames, type ToolNames, withClientNames } from './dialects/tool-names.ts';
export { answersOf, type MeterState, UsageMeter, type UsageRule } from './dialects/usage-meter.ts';
export * from './errors.ts';
export * from './fields.ts';
export * from './framing/framing.ts';
export { sseFrame } from './framing/sse.ts';
export { baseUrl, callJson, type JsonCall } from './guardrails/call-json.ts';
export { composedText, composedWord } from './guardrails/composed.ts';
export { editsBetween } from './guardrails/difference.ts';
export { applyEdits, type TextEdit } from './guardrails/edits.ts';
export { type FoldedText, foldedText } from './guardrails/folded.ts';
export { type LinearPattern, linearPattern, type PatternMatch } from './guardrails/linear-pattern.ts';
export {
  type Piece,
  type PieceBounds,
  piecesOf,
  placedPiecesOf,
} from './guardrails/pieces.ts';
export { seamless } from './guardrails/seamless.ts';
export { isoMoment } from './iso-moment.ts';
export * from './json.ts';
export * from './json-position.ts';
export * from './limits.ts';
export * from './logs/index.ts';
export * from './metadata-schema.ts';
export { pageFields, pageOf } from './paging.ts';
export { plainNumber } from './plain-number.ts';
export { type PromptReference, promptReference } from './prompt-reference.ts';
export * from './providers/aws/index.ts';
export * from './providers/azure/index.ts';
export {
  answeredLine,
  type BatchLine,
  batchLineOf,
  chatReply,
  failedLine,
  type LineTools,
  linesOf,
} from './providers/batch-lines.ts';
export { type BatchPaths, batchOutput } from './providers/batch-output.ts';
export { reasonsByDefault, withCurrentFields } from './providers/current-fields.ts';
export { developersAsSystem } from './providers/developers-as-system.ts';
export { filesAsPublished } from './providers/files-as-published.ts';
export { functionsAsTools } from './providers/functions-as-tools.ts';
export * from './providers/gcp/index.ts';
export { fileDataUrl, type HeldFile, heldFiles } from './providers/held-files.ts';
export { layoutParsing } from './providers/layout-parsing.ts';
export { listAfter, type Page } from './providers/pages.ts';
export { pathSegment } from './providers/path-segment.ts';
export { pictureSize } from './providers/picture-size.ts';
export { publishedBatches, publishedFiles, publishedFineTuning } from './providers/published-endpoints.ts';
export { replayedThinking } from './providers/replayed-thinking.ts';
export { speechType } from './providers/speech-type.ts';
export { withUnixTimes } from './providers/unix-times.ts';
export { verifiedHistory } from './providers/verified-history.ts';
export { boundedQueue, type QueueBounds } from './queue.ts';
export { crossChecks, kindsWithoutModel, type RequestKind, requestSchemas } from './requests/index.ts';
export * from './schema.ts';
export { bearsSecret, misplacedSecrets } from './secret-places.ts';
export { unixSeconds } from './unix-seconds.ts';
export {
  placeOfRequests,
  promptWarning,
  providerWarning,
  type Warning,
  warningsField,
  warningsIn,
} from './warnings.ts';
