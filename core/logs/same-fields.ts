import type { LogRow } from 'portcullis/sdk';

const mostKinds = 8;

/** What requests of one caller to one model with one outcome have in common. */
export type Shared = ReturnType<typeof sharedOf>;

/** Written out, as all that is done for each request on the serving loop. */
export function sharedOf(row: LogRow) {
  return {
    organisationId: row.organisationId,
    workspaceId: row.workspaceId,
    method: row.method,
    path: row.path,
    endpoint: row.endpoint,
    status: row.status,
    error: row.error,
    provider: row.provider,
    model: row.model,
    requestedModel: row.requestedModel,
    providerSlug: row.providerSlug,
    keyId: row.keyId,
    userId: row.userId,
    configId: row.configId,
    configSlug: row.configSlug,
    configVersionId: row.configVersionId,
    promptId: row.promptId,
    promptSlug: row.promptSlug,
    promptVersion: row.promptVersion,
    promptVersionId: row.promptVersionId,
    target: row.target,
    usageSource: row.usageSource,
    stream: row.stream,
    retries: row.retries,
    fallback: row.fallback,
    cacheStatus: row.cacheStatus,
    sentAs: row.sentAs,
    replyUntouched: row.replyUntouched,
    source: row.source,
  };
}

/** What blocks that are older than these fields say of them. */
export const keptLater = {
  configVersionId: null,
  promptVersionId: null,
  sentAs: null,
  replyUntouched: false,
} as const satisfies Partial<Shared>;

/** What differs most often is looked at first. */
function fits(row: LogRow, shared: Shared): boolean {
  return (
    row.model === shared.model &&
    row.status === shared.status &&
    row.path === shared.path &&
    row.stream === shared.stream &&
    row.cacheStatus === shared.cacheStatus &&
    row.configSlug === shared.configSlug &&
    row.promptSlug === shared.promptSlug &&
    row.retries === shared.retries &&
    row.organisationId === shared.organisationId &&
    row.workspaceId === shared.workspaceId &&
    row.method === shared.method &&
    row.endpoint === shared.endpoint &&
    row.error === shared.error &&
    row.provider === shared.provider &&
    row.requestedModel === shared.requestedModel &&
    row.providerSlug === shared.providerSlug &&
    row.keyId === shared.keyId &&
    row.userId === shared.userId &&
    row.configId === shared.configId &&
    row.configVersionId === shared.configVersionId &&
    row.promptId === shared.promptId &&
    row.promptVersion === shared.promptVersion &&
    row.promptVersionId === shared.promptVersionId &&
    row.target === shared.target &&
    row.usageSource === shared.usageSource &&
    row.sentAs === shared.sentAs &&
    row.replyUntouched === shared.replyUntouched &&
    row.fallback === shared.fallback &&
    row.source === shared.source
  );
}

interface Kind {
  readonly shared: Shared;
  /** Of the request that has it in its line. */
  readonly place: number;
}

/** What the requests of a block share, by the place where it stands. */
export class SharedPlaces {
  /** By their key, the last that was new in front; a caller who varies more than this is written in full now and then. */
  readonly #kinds = new Map<string | null, Kind[]>();

  /** Undefined: it is new, and has to be told to `keep` once it is written. */
  find(row: LogRow): number | undefined {
    const kinds = this.#kinds.get(row.keyId);
    if (kinds === undefined) return undefined;
    for (const { shared, place } of kinds) if (fits(row, shared)) return place;
    return undefined;
  }

  keep(shared: Shared, place: number): void {
    const kinds = this.#kinds.get(shared.keyId);
    if (kinds === undefined) this.#kinds.set(shared.keyId, [{ shared, place }]);
    else if (kinds.unshift({ shared, place }) > mostKinds) kinds.pop();
  }

  clear(): void {
    this.#kinds.clear();
  }
}
