/** Sums that a rollup keeps for each group and hour, with what makes them of the rows of requests. */
export const sums = {
  requests: 'COUNT(*)',
  errors: 'SUM(CASE WHEN l.status >= 400 THEN 1 ELSE 0 END)',
  // As reals: the sums of years go beyond the integers that can be read back.
  cost_nano_usd: 'SUM(l.cost_nano_usd * 1e0)',
  saved_nano_usd: "SUM(CASE WHEN l.cache_status IN ('HIT', 'SEMANTIC HIT') THEN l.saved_nano_usd * 1e0 ELSE 0 END)",
  input_tokens: 'SUM(l.input_tokens * 1e0)',
  output_tokens: 'SUM(l.output_tokens * 1e0)',
  total_tokens: 'SUM(l.total_tokens * 1e0)',
  simple_hits: "SUM(CASE WHEN l.cache_status = 'HIT' THEN 1 ELSE 0 END)",
  semantic_hits: "SUM(CASE WHEN l.cache_status = 'SEMANTIC HIT' THEN 1 ELSE 0 END)",
  cache_lookups: "SUM(CASE WHEN l.cache_status IN ('HIT', 'SEMANTIC HIT', 'MISS', 'SEMANTIC MISS') THEN 1 ELSE 0 END)",
  hit_ms: "SUM(CASE WHEN l.cache_status IN ('HIT', 'SEMANTIC HIT') THEN l.duration_ms ELSE 0 END)",
  duration_ms: 'SUM(l.duration_ms)',
  rescued_by_retry: 'SUM(CASE WHEN l.retries > 0 AND l.status < 400 THEN 1 ELSE 0 END)',
  rescued_by_fallback: 'SUM(CASE WHEN l.fallback = 1 AND l.status < 400 THEN 1 ELSE 0 END)',
} as const;
export type Sum = keyof typeof sums;
export const sumNames = Object.keys(sums) as readonly Sum[];

/** What a group goes by, with its column in the rows of requests and the bound of its text; undefined: a number. */
export const dimensions = {
  workspaceId: { column: 'workspace_id', length: 64 },
  provider: { column: 'provider', length: 64 },
  model: { column: 'model', length: 200 },
  status: { column: 'status', length: undefined },
  keyId: { column: 'key_id', length: 128 },
  configSlug: { column: 'config_slug', length: 128 },
  providerSlug: { column: 'provider_slug', length: 128 },
  promptSlug: { column: 'prompt_slug', length: 128 },
  cacheStatus: { column: 'cache_status', length: 32 },
  retries: { column: 'retries', length: undefined },
  user: { column: 'end_user', length: 256 },
} as const;
export type Dimension = keyof typeof dimensions;

export interface Rollup {
  readonly table: string;
  readonly by: readonly Dimension[];
  /** Whether a group is of one name of the metadata and its value as well. */
  readonly ofMetadata: boolean;
  /** Whether it keeps a sketch of the durations. */
  readonly latency: boolean;
}

/** Hours and days of each organisation by what is looked at most; a group is found by the digest of what it goes by. */
export const rollups = {
  requests: {
    table: 'rollup_requests',
    by: [
      'workspaceId',
      'provider',
      'model',
      'status',
      'keyId',
      'configSlug',
      'providerSlug',
      'promptSlug',
      'cacheStatus',
      'retries',
    ],
    ofMetadata: false,
    latency: true,
  },
  users: { table: 'rollup_users', by: ['workspaceId', 'user'], ofMetadata: false, latency: false },
  metadata: { table: 'rollup_metadata', by: ['workspaceId'], ofMetadata: true, latency: true },
} as const satisfies Record<string, Rollup>;

export type Slots = 'hours' | 'days';

export function tableOf({ table }: Rollup, slots: Slots): string {
  return `${table}_${slots}`;
}

/** The columns of a rollup's groups, in their order in the digest. */
export function groupColumns({ by, ofMetadata }: Rollup): readonly string[] {
  return [...by.map((dimension) => dimensions[dimension].column), ...(ofMetadata ? ['name', 'value'] : [])];
}
