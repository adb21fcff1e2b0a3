import type { JsonObject } from '../json.ts';
import type { LimitSpec, OwnedEntry } from './directory.ts';

/** A limit policy of an organisation or of one workspace; archived ones have no entry. */
export interface LimitPolicyEntry {
  readonly id: string;
  readonly kind: 'usage' | 'rate';
  readonly name: string | null;
  /** Absent: it holds for the whole organisation. */
  readonly workspaceId?: string;
  /** As the API takes them: `{ key, value, excludes }`; all must fit. */
  readonly conditions: readonly JsonObject[];
  /** Keys, each combination of whose values has a count of its own. */
  readonly groupBy: readonly string[];
  /** The limit itself, as `usage_limits` or `rate_limits` have it. */
  readonly limit: LimitSpec;
  /** Epoch milliseconds at which the running period began, and ends; usage policies only. */
  readonly periodStart?: number;
  readonly periodEnd?: number;
}

/** All limit policies of an organisation. */
export interface LimitPoliciesEntry extends OwnedEntry {
  readonly policies: readonly LimitPolicyEntry[];
}

/** Prices that an organisation has agreed on. */
export interface PricesEntry extends OwnedEntry {
  readonly prices: readonly {
    readonly provider: string;
    readonly model: string;
    /** Epoch milliseconds. */
    readonly from: number;
    /** As the API takes it. */
    readonly price: JsonObject;
  }[];
}
