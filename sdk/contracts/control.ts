import type { Json, JsonObject } from '../json.ts';
import type { Access } from './access.ts';
import type { Checks } from './checks.ts';
import type { Counters } from './counters.ts';
import type { Directory, DirectoryKind, DirectoryKinds } from './directory.ts';
import type { FetchReply, FetchRequest, PluginLog } from './host.ts';
import type { LogSinks, LogStore } from './logs.ts';
import type { MaybePromise } from './plugin.ts';
import type { Cost, PriceQuestion } from './price.ts';
import type { ProviderTrial, TrialResult } from './provider-trial.ts';
import type { Principal } from './request.ts';
import type { Action, Resource } from './resource.ts';
import type { Db, Migration } from './store.ts';

/** Where an operation acts: the tenancy of every read and write. */
export interface Scope {
  readonly organisationId: string;
  /** Undefined: the organisation itself. */
  readonly workspaceId?: string;
}

/** Any record of a resource, by its wire names; moments are epoch milliseconds. */
export interface StoredRecord {
  readonly id: string;
  readonly organisation_id: string;
  readonly workspace_id: string | null;
  readonly slug: string | null;
  readonly status: string;
  readonly created_at: number;
  readonly last_updated_at: number;
  /** Id of the user or key that made it. */
  readonly created_by: string | null;
  readonly [field: string]: unknown;
}

export type Values = { readonly [field: string]: unknown };

export interface ListOptions {
  /** Equal to the value, or to one of several; only promoted columns and the base ones. */
  readonly where?: Readonly<Record<string, Json | readonly Json[]>>;
  /** Part of the name, or of the resource's search columns; upper and lower case differ. */
  readonly search?: string;
  /** False leaves out what has the status `archived`. Default true. */
  readonly archived?: boolean;
  /** Default: newest first. */
  readonly orderBy?: readonly { readonly column: string; readonly order: 'asc' | 'desc' }[];
  /** From 0. */
  readonly page?: number;
  /** Default: all, at most 10,000. */
  readonly pageSize?: number;
}

/**
 * The records of one resource inside the running transaction. Every call is bound to a tenancy: a scope without a
 * workspace sees the whole organisation. Hooks of the resource do not run, for they belong to its routes; reactions do.
 */
export interface Records<R extends StoredRecord = StoredRecord> {
  find(scope: Scope, idOrSlug: string): Promise<R | undefined>;
  /** @throws GatewayError `not_found` */
  get(scope: Scope, idOrSlug: string): Promise<R>;
  list(scope: Scope, options?: ListOptions): Promise<{ readonly total: number; readonly records: readonly R[] }>;
  count(scope: Scope, where?: ListOptions['where']): Promise<number>;
  /** Fills in id, slug, tenancy, times. @throws GatewayError `conflict` when something unique is taken */
  create(scope: Scope, values: Values): Promise<R>;
  update(scope: Scope, id: string, changes: Values): Promise<R>;
  /** `detail` goes to the reactions: `force` says that what hangs on it goes too. */
  remove(scope: Scope, id: string, detail?: JsonObject): Promise<void>;
  /** The secret fields in clear. Never put them into a reply, a log or an audit entry. */
  secrets(record: R): Promise<JsonObject>;
}

/** One authorised call of the control plane, or one run of a job. */
export interface Operation {
  /** The request's id. */
  readonly id: string;
  readonly access: Access;
  /** Stands in `created_by`: the user, else the key. */
  readonly actorId: string;
  readonly scope: Scope;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The fields that the schema knows; times are epoch milliseconds. */
  readonly body: JsonObject;
  /** Who calls, for requests to models on their behalf; undefined: the gateway itself, or nobody who is known. */
  readonly principal: Principal | undefined;
  /** A header of the gateway by its name behind the vendor segment. */
  control(name: string): string | undefined;
  /** Any header, lower-case name. */
  header(name: string): string | undefined;
  /** Address of the caller. */
  readonly clientIp: string;
  /** Epoch milliseconds, the same during the whole operation. */
  readonly now: number;
  newId(): string;
  /** The running transaction; only tables of the plugin's manifest. */
  readonly db: Db;
  records<R extends StoredRecord = StoredRecord>(resource: string): Records<R>;
  /**
   * What requests find under a path of the directory, with what this transaction has changed. It may hold credentials in
   * clear: never put it into a reply, a log or an audit entry.
   */
  load<K extends DirectoryKind>(kind: K, ...path: readonly string[]): Promise<DirectoryKinds[K] | undefined>;
  /** A moment as the API shows it: Unix seconds, or ISO 8601 where the operator has set that. */
  time(ms: number | null | undefined): number | string | null;
  /** Encrypts for storage. `context` names the place, such as `api_keys/<id>`: opening needs the same. */
  seal(plain: string, context: string): string;
  unseal(sealed: string, context: string): string;
  /** Peppered digest of a secret of high entropy: what is stored of it, and found by. 64 hex digits. */
  digest(secret: string): string;
  /** As `digest`, from the secret's plain SHA-256 (64 hex digits). */
  pepper(sha256: string): string;
  /** The keyed checksum that `Host.checksum` verifies. 8 letters and digits. */
  checksum(text: string): string;
  /**
   * Work that may take long, such as a look at code: the transaction is undone meanwhile, so that nobody waits for it, and
   * the operation is begun anew when the work is over. It is done once for each `key`, which must name all that it depends
   * on. Where the operation has no caller it is done inside the transaction.
   */
  aside<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Runs after the transaction is committed, not at all when it fails; for effects that cannot be undone. */
  afterCommit(work: () => MaybePromise<void>): void;
  /**
   * Keeps mail with what is stored, encrypted, and hands it to the mail server after the commit, again and again for some
   * hours where that is away, after a restart too. Without a server nothing happens.
   */
  mail(mail: Mail): Promise<void>;
  /** Adds to the audit entry of this operation. Secrets must be masked. */
  audit(detail: JsonObject): void;
  /** Writes an audit entry of its own: for what happens without a request, or beside it. */
  record(event: AuditEvent): Promise<void>;
  /** Announces a change to the other plugins, inside the transaction: their reactions run before this returns, and may throw to block. */
  emit(event: string, record: StoredRecord, detail?: JsonObject): Promise<void>;
  /** Marks what the data plane knows of the organisation as stale; done by itself for each write through records. */
  changed(organisationId: string): Promise<void>;
  /** The same, elsewhere: for acting on another workspace, with the caller's own rights. */
  at(scope: Scope): Operation;
}

export interface AuditEvent {
  readonly organisationId: string;
  readonly workspaceId?: string;
  readonly resourceType: string;
  readonly resourceId?: string;
  /** `create`, `update`, `delete`, `rotate`, `login`, `login_failed`. */
  readonly action: string;
  readonly userId?: string;
  readonly userType: 'user' | 'api_key' | 'system';
  readonly actorName?: string;
  readonly method?: string;
  readonly uri?: string;
  readonly requestId?: string;
  readonly clientIp?: string;
  readonly status?: number;
  /** Secrets masked. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  readonly detail?: JsonObject;
  readonly query?: JsonObject;
  /** Body of the request, masked. */
  readonly body?: JsonObject;
  /** Headers of the request without any credential. */
  readonly headers?: JsonObject;
}

export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** Runs by itself, in one process at a time. Must do no harm when it runs twice. */
export interface Job {
  readonly name: string;
  /** Cron pattern in UTC (five fields), such as `* * * * *`. */
  readonly schedule: string;
  /** Inside no transaction: use `host.transaction`. */
  run(): Promise<void>;
}

/** What a plugin of the control plane reaches. */
export interface ControlHost {
  readonly name: string;
  readonly log: PluginLog;
  now(): number;
  newId(): string;
  /** Cryptographically random text of letters and digits. */
  randomText(length: number): string;
  /** Needs `permissions.env`. */
  env(name: string): string | undefined;
  /** Where people and applications reach this gateway, without a slash at the end. */
  readonly publicUrl: string;
  readonly directory: Directory;
  /** Runs work as the gateway itself, in a transaction of its own: for jobs, sessions and first start. */
  transaction<T>(scope: Scope, work: (operation: Operation) => Promise<T>): Promise<T>;
  /** Needs the URL's host and port in `permissions.net`; `*:*` is any place. Goes through the URL guard, except for hosts that the operator trusts. */
  fetch(url: string, request: FetchRequest): Promise<FetchReply>;
  /** Whether the operator has set a mail server. */
  readonly mails: boolean;
  /** @throws GatewayError `url_blocked` naming `param`, for a URL that the gateway does not call */
  checkUrl(url: string, param: string): Promise<void>;
  /** What providers there are, with the settings that each takes. */
  providers(): readonly ProviderSummary[];
  /** The checks of this gateway. Needs `permissions.checks`. */
  readonly checks: Checks;
  /** Needs `permissions.counters`. */
  readonly counters: Counters;
  /** Needs `permissions.logs`. */
  readonly logs: LogStore & LogSinks;
  /** What a request would cost, by the plugin that knows prices; undefined: nobody knows. */
  price(question: PriceQuestion): MaybePromise<Cost | undefined>;
  /**
   * Sends a request to a model for the caller of an operation, with their rights, limits and guardrails, and an entry in
   * the log. Not inside a transaction. Needs `permissions.models`.
   * @throws GatewayError `not_available` where this process serves no requests to models
   */
  infer(request: InferenceRequest, operation: Operation): Promise<InferenceReply>;
  /**
   * Asks a provider for as little as shows whether it takes credentials: for no workspace, so nothing is counted or logged.
   * Not inside a transaction. Needs `permissions.models`.
   * @throws GatewayError `bad_request` with the param `model` where no model can be asked, or this one is not served
   */
  tryProvider(trial: ProviderTrial): Promise<TrialResult>;
  /** @throws GatewayError when the routing config is at fault, `param` inside it */
  checkConfig(config: JsonObject): void;
}

/** A request to a model for a caller of the control plane. */
export interface InferenceRequest {
  readonly path: '/v1/chat/completions' | '/v1/completions';
  /** Headers of the gateway by their names behind the vendor segment: `config`, `trace-id`. */
  readonly control?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

/** As a client over HTTP would get it, errors included. */
export interface InferenceReply {
  /** The request's id in the logs. */
  readonly id: string;
  readonly status: number;
  /** To be read to its end, or left: then the call to the provider ends as well. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface ProviderSummary {
  readonly name: string;
  readonly title: string;
  /** snake_case; secret ones are never shown. */
  readonly settings: readonly { readonly name: string; readonly secret: boolean; readonly description?: string }[];
}

export type DirectoryLoader<K extends DirectoryKind> = (
  reader: DirectoryReader,
  path: readonly string[],
) => Promise<DirectoryKinds[K] | undefined>;

/** What loaders of the directory read with: no operation, no actor, the reading replica where there is one. */
export interface DirectoryReader {
  readonly db: Db;
  readonly now: number;
  records<R extends StoredRecord = StoredRecord>(resource: string): Pick<Records<R>, 'find' | 'list' | 'secrets'>;
  unseal(sealed: string, context: string): string;
  /** Peppered digest from a plain SHA-256, as it is stored. */
  pepper(sha256: string): string;
  /** Whether some plugin brings the resource. */
  knows(resource: string): boolean;
  /** Another kind, through its own loader. */
  load<K extends DirectoryKind>(kind: K, ...path: readonly string[]): Promise<DirectoryKinds[K] | undefined>;
}

/**
 * Runs inside the transaction of the event; may throw to block it. Events: `<resource>.created`, `.updated`
 * (`detail.before`), `.removing` (before anything happens, `detail.force`), `.removed`.
 */
export type Reaction = (operation: Operation, record: StoredRecord, detail: JsonObject) => Promise<void>;

/** What a plugin adds to the control plane. */
export interface Control {
  readonly resources?: readonly Resource[];
  /** Routes that belong to no record: `/auth/self`. */
  readonly actions?: readonly Action[];
  readonly reactions?: Readonly<Record<string, Reaction>>;
  readonly jobs?: readonly Job[];
  readonly loaders?: { readonly [K in DirectoryKind]?: DirectoryLoader<K> };
  /** Takes every audit event, inside the transaction that caused it. At most one plugin. */
  audit?(event: AuditEvent, db: Db): Promise<void>;
  /** Called once, in the transaction of the very first start, in the order of the list of plugins. Lines that it returns are shown to the operator, once. */
  bootstrap?(operation: Operation): Promise<readonly string[]>;
  close?(): MaybePromise<void>;
}

export interface ControlPlugin {
  readonly migrations?: readonly Migration[];
  control?(host: ControlHost): MaybePromise<Control>;
}
