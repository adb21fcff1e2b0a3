import type { Log, LogFields, PluginLog, RequestRecord } from 'portcullis/sdk';

/** Callers, targets and outcomes that are alike; where more come in turns, lines are written in full. */
const mostKinds = 16;

interface Kind {
  readonly record: RequestRecord;
  log: Log | undefined;
}

/** Writes the fields out once that many requests share: they are the larger part of a line. */
export class AlikeLines {
  readonly #log: PluginLog;
  /** The last that was new in front. */
  readonly #kinds: Kind[] = [];

  constructor(log: PluginLog) {
    this.#log = log;
  }

  info(event: string, record: RequestRecord, own: LogFields): void {
    for (const kind of this.#kinds) {
      if (!isLike(record, kind.record)) continue;
      kind.log ??= this.#log.child(sharedFields(record));
      kind.log.info(event, own);
      return;
    }
    if (this.#kinds.unshift({ record, log: undefined }) > mostKinds) this.#kinds.pop();
    this.#log.info(event, { ...sharedFields(record), ...own });
  }
}

function sharedFields(record: RequestRecord): LogFields {
  return {
    method: record.method,
    path: record.path,
    status: record.status,
    principal: record.principal,
    organisation: record.organisationId,
    workspace: record.workspaceId,
    key: record.keyId,
    config: record.configSlug,
    config_id: record.configId === record.configSlug ? undefined : record.configId,
    provider_slug: record.providerSlug,
    provider: record.provider,
    model: record.model,
    target: record.target,
  };
}

function isLike(one: RequestRecord, other: RequestRecord): boolean {
  return (
    one.keyId === other.keyId &&
    one.principal === other.principal &&
    one.status === other.status &&
    one.model === other.model &&
    one.path === other.path &&
    one.method === other.method &&
    one.target === other.target &&
    one.provider === other.provider &&
    one.providerSlug === other.providerSlug &&
    one.configSlug === other.configSlug &&
    one.configId === other.configId &&
    one.workspaceId === other.workspaceId &&
    one.organisationId === other.organisationId
  );
}
