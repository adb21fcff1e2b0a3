import type { Usage } from '../dialects/neutral.ts';
import type { Endpoint } from './endpoint.ts';

/** What is asked of the price list. */
export interface PriceQuestion {
  /** Name of the provider unit. */
  readonly provider: string;
  /** As the provider names it. */
  readonly model: string;
  readonly usage: Usage;
  /** Epoch milliseconds: prices have a beginning. */
  readonly at: number;
  readonly endpoint?: Endpoint | undefined;
  /** The tier that the provider says it served with, such as `flex`, `priority`, `batch`. */
  readonly tier?: string | undefined;
  /** The region that the provider says it served in, else the one that it was called in. */
  readonly region?: string | undefined;
  /** These three: of callers who belong to an organisation; its own prices and multipliers then hold. */
  readonly organisationId?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** Slug of the saved provider. */
  readonly providerSlug?: string | undefined;
}

/** What a request costs. Sums of whole numbers do not drift. */
export interface Cost {
  /** Billionths of a US dollar, a whole number. */
  readonly nanoUsd: number;
  /** The same, by what it was paid for: `input`, `output`, `cacheRead`, `cacheWrite`, `reasoning`, `audio`, `image`, `tools`, `request`. */
  readonly parts: Readonly<Record<string, number>>;
  /** `catalogue`, `organisation`, `integration` or `operator`: whose price it was. */
  readonly source: string;
}
