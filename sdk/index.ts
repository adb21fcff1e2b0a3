/** The version of this contract: what a manifest's `sdk` range is checked against. */
export const sdkVersion = '1.0.0';

export * from './contracts/host.ts';
export * from './contracts/manifest.ts';
export * from './contracts/plugin.ts';
export * from './contracts/provider.ts';
export * from './contracts/request.ts';
export { isPlugin, isProvider, plugin, provider } from './define.ts';
export { collector } from './dialects/collect.ts';
export * from './dialects/dialect.ts';
export { faultStatus, faultType } from './dialects/fault.ts';
export { dialects } from './dialects/index.ts';
export { decodeModels, encodeModels, type ModelEntry } from './dialects/models/index.ts';
export * from './dialects/neutral.ts';
export { deltasOf } from './dialects/replay.ts';
export * from './errors.ts';
export * from './framing/framing.ts';
export { sseFrame } from './framing/sse.ts';
export * from './json.ts';
export { crossChecks, type RequestKind, requestSchemas } from './requests/index.ts';
export * from './schema.ts';
