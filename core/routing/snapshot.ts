import type { Json } from 'portcullis/sdk';
import { clip, configFault } from './fault.ts';

/** Levels of objects and lists in one config; JSON schemas inside override_params stay well below it. */
export const maxJsonDepth = 100;

/** A deep-frozen copy, so that a plan shares nothing with what its caller may still change. @throws GatewayError */
export function snapshot(value: unknown, param = 'config', depth = 0): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') throw configFault(param, `${clip(param, 200)} is not JSON.`);
  if (depth >= maxJsonDepth)
    throw configFault('config', `The config is nested too deep: ${maxJsonDepth} levels at most.`);
  if (Array.isArray(value)) {
    return Object.freeze(Array.from(value, (item, index) => snapshot(item, `${param}[${index}]`, depth + 1)));
  }
  // fromEntries defines properties, so a key named __proto__ stays a key.
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.freeze(
    Object.fromEntries(entries.map(([key, item]) => [key, snapshot(item, `${param}.${key}`, depth + 1)])),
  );
}

/** Freezes what was compiled, down to the leaves; closures are left as they are. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}
