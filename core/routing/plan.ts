import type { Json, JsonObject, RetryRule, TargetHooks } from 'portcullis/sdk';
import type { FieldPath } from './query/field-path.ts';
import type { Query } from './query/query.ts';

/** A routing config after every check, with inheritance worked out. Deep-frozen; shared by all requests that use it. */
export interface Plan {
  /** SHA-256 of the config's JSON: equal text, equal id. */
  readonly id: string;
  readonly root: Node;
}

export type Node = Leaf | Branch;
export type Branch = SingleBranch | FallbackBranch | LoadbalanceBranch | ConditionalBranch;
export type NonEmpty<T> = readonly [T, ...T[]];

export interface CacheRule {
  readonly mode: 'simple' | 'semantic';
  /** 60 to 7,776,000; 604,800 unless the config says so. */
  readonly maxAgeSeconds: number;
}

export interface BreakerRule {
  /** Failures within the window that open the breaker. */
  readonly failureThreshold?: number;
  /** Share of failures within the window that opens it, above 0 to 100. */
  readonly failurePercentage?: number;
  /** Calls in the window before the share is looked at. */
  readonly minimumRequests: number;
  readonly cooldownMs: number;
  /** Statuses that count as failures; without a list, everything above 500. */
  readonly failureStatusCodes?: readonly number[];
}

/** A target that is called. What it inherits is already in it. */
export interface Leaf {
  readonly kind: 'leaf';
  /** JSON path in the config: `config`, `config.targets[1].targets[0]`. */
  readonly path: string;
  readonly name?: string;
  readonly index?: number;
  readonly provider?: string;
  readonly virtualKey?: string;
  readonly apiKey?: string;
  readonly promptId?: string;
  /** Provider settings as given, snake_case, `deployments` among them. */
  readonly settings: JsonObject;
  readonly overrideParams?: JsonObject;
  readonly defaultParams?: JsonObject;
  readonly dropParams?: readonly string[];
  readonly retry?: RetryRule;
  readonly cache?: CacheRule;
  readonly requestTimeoutMs?: number;
  readonly customHost?: string;
  /** Lower-case names. */
  readonly forwardHeaders?: readonly string[];
  readonly strict?: boolean;
  readonly passthrough: boolean;
  readonly fetchIntegratedModels?: boolean;
  /** Guardrails and mutators: own or inherited, then the root's defaults. */
  readonly hooks: TargetHooks;
  /** The rule of the strategy that the target stands under; none under a conditional strategy. */
  readonly breaker?: BreakerRule;
}

interface BranchFields {
  readonly path: string;
  readonly name?: string;
  readonly index?: number;
  readonly children: NonEmpty<Node>;
}

export interface SingleBranch extends BranchFields {
  readonly kind: 'single';
}

export interface FallbackBranch extends BranchFields {
  readonly kind: 'fallback';
  /** Statuses that make the next target be tried; without a list, everything that is no success. */
  readonly onStatusCodes?: readonly number[];
}

export interface LoadbalanceBranch extends BranchFields {
  readonly kind: 'loadbalance';
  /** In the order of the children; their sum is above 0. */
  readonly weights: readonly number[];
  readonly sticky?: StickyRule;
}

export interface StickyRule {
  readonly fields: readonly FieldPath[];
  readonly ttlSeconds: number;
}

export interface ConditionalBranch extends BranchFields {
  readonly kind: 'conditional';
  readonly conditions: readonly Condition[];
  /** Index of the child that serves when no condition matches. */
  readonly otherwise?: number;
}

export interface Condition {
  readonly matches: Query;
  /** The query as the config has it, for explanations. */
  readonly query: Json;
  /** Index of the child that serves. */
  readonly child: number;
}
