import type {
  AuditEvent,
  Db,
  JsonObject,
  Log,
  MaybePromise,
  Operation,
  Reaction,
  Records,
  Scope,
  StoredRecord,
} from 'portcullis/sdk';
import type { Load } from '../directory/loading.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { ResourceModel } from './model.ts';
import { type Timestamps, writeMoment } from './moments.ts';
import { ownTables } from './own-tables.ts';
import { recordsOf } from './records.ts';

/** What is encrypted and digested with. */
export type Crypt = Pick<Operation, 'seal' | 'unseal' | 'digest' | 'pepper' | 'checksum'>;

/** A reaction with the plugin that it belongs to. */
export interface OwnedReaction {
  readonly plugin: string;
  readonly run: Reaction;
}

/** What all operations share. */
export interface OperationParts {
  readonly models: ReadonlyMap<string, ResourceModel>;
  readonly reactions: ReadonlyMap<string, readonly OwnedReaction[]>;
  /** Reads what the data plane would. */
  readonly loading: (db: Db) => Load;
  /** Tables that a plugin may query. */
  readonly tablesOf: (plugin: string) => ReadonlySet<string>;
  readonly crypt: Crypt;
  readonly timestamps: Timestamps;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
  readonly isUniqueViolation: (error: unknown) => boolean;
  readonly mails: Pick<Outbox, 'put' | 'sendDue'>;
  readonly audit: ((event: AuditEvent, db: Db) => Promise<void>) | undefined;
  /** Marks an organisation stale, inside the transaction. */
  readonly bumpVersion: (db: Db, organisationId: string, now: number) => Promise<void>;
  /** Tells the directory, after the commit. */
  readonly announce: (organisationIds: readonly string[]) => void;
}

/** Who asks for what, where. */
export type Request = { readonly plugin: string } & Pick<
  Operation,
  'id' | 'access' | 'actorId' | 'principal' | 'scope' | 'params' | 'query' | 'body' | 'control' | 'header' | 'clientIp'
>;

/** An operation, and what the engine does with it when its work is done. */
export interface RunningOperation {
  readonly operation: Operation;
  /** What the work has added to its audit entry. */
  detail(): JsonObject;
  /** The last statements of the transaction. */
  settle(): Promise<void>;
  /** After the commit. */
  committed(): void;
}

/** @param aside see `Operation.aside`; left out where nobody begins the operation anew */
export function startOperation(
  parts: OperationParts,
  db: Db,
  request: Request,
  aside: Operation['aside'] = (_, work) => work(),
): RunningOperation {
  const now = parts.now();
  const stale = new Set<string>();
  const afterwards: (() => MaybePromise<void>)[] = [];
  let detail: JsonObject = {};
  let hasMail = false;

  const emitting =
    (operation: () => Operation) =>
    async (event: string, record: StoredRecord, more: JsonObject = {}): Promise<void> => {
      for (const { plugin, run } of parts.reactions.get(event) ?? []) {
        await run({ ...operation(), db: ownTables(db, plugin, parts.tablesOf(plugin)) }, record, more);
      }
    };

  const make = (scope: Scope): Operation => {
    const operation: Operation = {
      id: request.id,
      access: request.access,
      actorId: request.actorId,
      principal: request.principal,
      scope,
      params: request.params,
      query: request.query,
      body: request.body,
      control: request.control,
      header: request.header,
      clientIp: request.clientIp,
      now,
      newId: parts.newId,
      db: ownTables(db, request.plugin, parts.tablesOf(request.plugin)),
      records: <R extends StoredRecord>(name: string) => {
        const model = parts.models.get(name);
        if (model === undefined) throw new TypeError(`There is no resource ${name}.`);
        return recordsOf(model, {
          db,
          now,
          newId: parts.newId,
          actorId: request.actorId === '' ? null : request.actorId,
          seal: parts.crypt.seal,
          unseal: parts.crypt.unseal,
          isUniqueViolation: parts.isUniqueViolation,
          emit: emitting(() => operation),
          changed: (organisationId) => stale.add(organisationId),
        }) as Records as Records<R>;
      },
      load: (kind, ...path) => parts.loading(db)(kind, path),
      time: (ms) => (ms == null ? null : writeMoment(ms, parts.timestamps)),
      seal: parts.crypt.seal,
      unseal: parts.crypt.unseal,
      digest: parts.crypt.digest,
      pepper: parts.crypt.pepper,
      checksum: parts.crypt.checksum,
      aside,
      afterCommit: (work) => {
        afterwards.push(work);
      },
      mail: async (mail) => {
        await parts.mails.put(db, mail);
        hasMail = true;
      },
      audit: (more) => {
        detail = { ...detail, ...more };
      },
      record: async (event) => parts.audit?.(event, db),
      emit: emitting(() => operation),
      changed: async (organisationId) => {
        stale.add(organisationId);
      },
      at: make,
    };
    return operation;
  };

  return {
    operation: make(request.scope),
    detail: () => detail,
    settle: async () => {
      // In one order everywhere: two writers of the same organisations cannot wait for each other.
      for (const organisationId of [...stale].sort()) await parts.bumpVersion(db, organisationId, now);
    },
    committed: () => {
      if (stale.size > 0) parts.announce([...stale]);
      if (hasMail) void parts.mails.sendDue();
      for (const work of afterwards) void runQuietly(work, parts.log);
    },
  };
}

async function runQuietly(work: () => MaybePromise<void>, log: Log): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error('after_commit_failed', { error: error instanceof Error ? error.message : 'not an error' });
  }
}
