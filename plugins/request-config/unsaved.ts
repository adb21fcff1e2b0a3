import type { JsonObject, RequestContext, Resolution } from 'portcullis/sdk';
import { overridesOf } from './headers.ts';

/**
 * The resolution of a request without a saved config: its inline one, or what its headers and its model say. A config
 * that is no more than a provider's name is the caller's own, whichever header it came in.
 */
export function unsaved(request: RequestContext, inline: JsonObject | undefined, slug: string | undefined): Resolution {
  const overrides = overridesOf(request, inline, slug);
  const changed = Object.keys(overrides).length > 0;
  if (inline === undefined) return changed ? { config: overrides, inline: true } : {};
  return { config: inline, inline: true, ...(changed ? { overrides } : {}) };
}
