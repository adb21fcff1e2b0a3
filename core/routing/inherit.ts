import type { HookEntry, HookField, JsonObject, RetryRule } from 'portcullis/sdk';
import type { NodeConfig } from './config-schema.ts';
import type { BreakerRule, CacheRule } from './plan.ts';

/** What a node hands down to its targets. */
export interface Inherited {
  readonly overrideParams?: JsonObject;
  readonly defaultParams?: JsonObject;
  readonly dropParams?: readonly string[];
  readonly retry?: RetryRule;
  readonly cache?: CacheRule;
  readonly requestTimeoutMs?: number;
  readonly customHost?: string;
  readonly forwardHeaders?: readonly string[];
  readonly strict?: boolean;
  readonly fetchIntegratedModels?: boolean;
  readonly before?: readonly HookEntry[];
  readonly after?: readonly HookEntry[];
  readonly breaker?: BreakerRule;
}

const defaultRetryCodes = [429, 500, 502, 503, 504, 529];
const defaultCacheSeconds = 604_800;
const defaultCooldownMs = 30_000;
const defaultMinimumRequests = 10;

const beforeFields: readonly HookField[] = ['before_request_hooks', 'input_guardrails', 'input_mutators'];
const afterFields: readonly HookField[] = ['after_request_hooks', 'output_guardrails', 'output_mutators'];

/**
 * The fields of a node together with its parent's. Parameters merge key by key and the child wins, dropped ones add up,
 * lists of hooks are replaced as soon as the child has one of its own; everything else is the child's or else the parent's.
 */
export function inherit(parent: Inherited, node: NodeConfig, path: string): Inherited {
  return { ...parent, ...defined(ownFields(parent, node, path)) };
}

function ownFields(
  parent: Inherited,
  node: NodeConfig,
  path: string,
): { readonly [K in keyof Inherited]: Inherited[K] | undefined } {
  const before = hooksOf(node, path, beforeFields);
  const after = hooksOf(node, path, afterFields);
  return {
    overrideParams: node.override_params && { ...parent.overrideParams, ...node.override_params },
    defaultParams: node.default_params && { ...parent.defaultParams, ...node.default_params },
    dropParams: node.drop_params && [...new Set([...(parent.dropParams ?? []), ...node.drop_params])],
    retry: node.retry && retryRule(node.retry),
    cache: node.cache && cacheRule(node.cache),
    requestTimeoutMs: node.request_timeout,
    customHost: node.custom_host,
    forwardHeaders: node.forward_headers?.map((name) => name.toLowerCase()),
    strict: node.strict_open_ai_compliance,
    fetchIntegratedModels: node.fetch_integrated_models,
    before: before.length === 0 ? undefined : before,
    after: after.length === 0 ? undefined : after,
    breaker: node.strategy?.cb_config && breakerRule(node.strategy.cb_config),
  };
}

function retryRule(retry: NonNullable<NodeConfig['retry']>): RetryRule {
  return {
    attempts: retry.attempts,
    onStatusCodes: retry.on_status_codes ?? defaultRetryCodes,
    useRetryAfter: retry.use_retry_after_header === true || retry.use_retry_after_headers === true,
  };
}

function cacheRule(cache: NonNullable<NodeConfig['cache']>): CacheRule {
  if (typeof cache === 'string') return { mode: cache, maxAgeSeconds: defaultCacheSeconds };
  return { mode: cache.mode, maxAgeSeconds: cache.max_age ?? defaultCacheSeconds };
}

function breakerRule(rule: NonNullable<NonNullable<NodeConfig['strategy']>['cb_config']>): BreakerRule {
  return {
    ...defined({
      failureThreshold: rule.failure_threshold,
      failurePercentage: rule.failure_threshold_percentage,
      failureStatusCodes: rule.failure_status_codes,
    }),
    // One failed request of one is 100 %: a share needs some requests to mean anything.
    minimumRequests: rule.minimum_requests ?? defaultMinimumRequests,
    cooldownMs: rule.cooldown_interval ?? defaultCooldownMs,
  };
}

/** The entries of the named lists of a node, in the order of the lists. */
export function hooksOf(node: NodeConfig, path: string, fields: readonly HookField[]): readonly HookEntry[] {
  return fields.flatMap((source) =>
    (node[source] ?? []).map((value, index) => ({ source, path: `${path}.${source}[${index}]`, value })),
  );
}

/** A copy without the keys that are undefined. */
export function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
