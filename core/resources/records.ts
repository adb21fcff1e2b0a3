import {
  asObject,
  type Db,
  GatewayError,
  type Json,
  type JsonObject,
  type Knex,
  type ListOptions,
  type Records,
  type Scope,
  type StoredRecord,
  type Values,
} from 'portcullis/sdk';
import type { ResourceModel } from './model.ts';
import { type Row, recordOf, rowOf } from './rows.ts';
import { slugFor } from './slugs.ts';

/** Emits inside the transaction; what it runs may throw to block. */
export type Emit = (event: string, record: StoredRecord, detail: JsonObject) => Promise<void>;

/** What the records of a resource need beside their table. */
export interface RecordParts {
  readonly db: Db;
  readonly now: number;
  readonly newId: () => string;
  readonly actorId: string | null;
  readonly seal: (plain: string, context: string) => string;
  readonly unseal: (sealed: string, context: string) => string;
  readonly isUniqueViolation: (error: unknown) => boolean;
  readonly emit: Emit;
  /** What the data plane knows of the organisation is stale. */
  readonly changed: (organisationId: string) => void;
}

const mostListed = 10_000;

/** The storage of one resource, bound to a tenancy at every call. */
export function recordsOf(model: ResourceModel, parts: RecordParts): Records {
  const { db, now, newId, emit, changed } = parts;
  const table = () => db<Record<string, unknown>>(model.name);
  const context = (id: string) => `${model.name}/${id}`;

  const within = (scope: Scope) => {
    const rows = table().where('organisation_id', scope.organisationId);
    return scope.workspaceId === undefined ? rows : rows.andWhere('workspace_id', scope.workspaceId);
  };

  const find: Records['find'] = async (scope, idOrSlug) => {
    if (idOrSlug === '' || idOrSlug.length > 255) return undefined;
    const byId = await within(scope).andWhere('id', idOrSlug).first();
    if (byId !== undefined) return recordOf(model, byId as Row);
    if (model.resource.slug === undefined) return undefined;
    const bySlug = await within(scope).andWhere('slug', idOrSlug).orderBy('created_at').limit(2);
    if (bySlug.length > 1) {
      throw new GatewayError(
        'bad_request',
        `Several ${model.name} have the slug "${idOrSlug.slice(0, 100)}": name the workspace_id too.`,
        { param: 'workspace_id' },
      );
    }
    return bySlug[0] === undefined ? undefined : recordOf(model, bySlug[0] as Row);
  };

  const get: Records['get'] = async (scope, idOrSlug) => {
    const record = await find(scope, idOrSlug);
    if (record !== undefined) return record;
    throw new GatewayError('not_found', `There is no ${model.noun} with the id or slug "${idOrSlug.slice(0, 100)}".`, {
      param: 'id',
    });
  };

  const filtered = (scope: Scope, { where = {}, search, archived: withArchived = true }: ListOptions) => {
    // What belongs to the organisation itself may be asked for from a workspace of it, by name.
    const rows = where.workspace_id === null ? within({ organisationId: scope.organisationId }) : within(scope);
    if (!withArchived) rows.whereNot('status', 'archived');
    for (const [name, value] of Object.entries(where)) {
      if (!model.queryable.has(name)) throw new TypeError(`${model.name} cannot be filtered by ${name}`);
      if (Array.isArray(value)) rows.whereIn(name, value.map(plain) as Knex.Value[]);
      else if (value === null) rows.whereNull(name);
      else rows.andWhere(name, plain(value as Json) as Knex.Value);
    }
    if (search !== undefined && search !== '') {
      rows.andWhere((group) => {
        // LIKE ignores case in one dialect and not in the other.
        for (const name of model.searchColumns) group.orWhereRaw('instr(??, ?) > 0', [name, search]);
      });
    }
    return rows;
  };

  const conflict = (error: unknown, values: Values): never => {
    if (!parts.isUniqueViolation(error)) throw error;
    const what = typeof values.slug === 'string' ? ` with the slug "${values.slug}"` : '';
    throw new GatewayError('conflict', `One such ${model.noun}${what} is there already.`, { cause: error });
  };

  const sealedOf = (id: string, secrets: JsonObject): string | null =>
    Object.keys(secrets).length === 0 ? null : parts.seal(JSON.stringify(secrets), context(id));

  const secretsIn = async (id: string): Promise<JsonObject> => {
    const row = await table().where('id', id).first('sealed');
    const sealed = row?.sealed;
    return typeof sealed === 'string' ? (asObject(JSON.parse(parts.unseal(sealed, context(id)))) ?? {}) : {};
  };

  const slugOf = (values: Values): string | null => {
    const rule = model.resource.slug;
    if (rule === undefined) return null;
    if (typeof values.slug === 'string') return values.slug;
    return slugFor(rule, String(values.name ?? ''), newId);
  };

  /** A slug that people choose is free again once its record is archived. */
  const archived = ({ id, slug }: StoredRecord) => ({
    status: 'archived',
    last_updated_at: now,
    ...(model.resource.slug?.given === true && slug !== null ? { slug: `${slug.slice(0, 200)}--${id.slice(-8)}` } : {}),
  });

  return {
    find,
    get,
    list: async (scope, options = {}) => {
      const { page = 0, pageSize = mostListed, orderBy } = options;
      const counted = await filtered(scope, options).count({ total: '*' }).first();
      const rows = filtered(scope, options);
      const order = orderBy ?? [{ column: 'created_at', order: 'desc' as const }];
      for (const { column, order: direction } of order) {
        if (!model.queryable.has(column)) throw new TypeError(`${model.name} cannot be ordered by ${column}`);
        rows.orderBy(column, direction);
      }
      // Records of one moment keep their order from page to page.
      rows.orderBy('id', 'desc');
      const size = Math.min(pageSize, mostListed);
      const found = await rows.limit(size).offset(page * size);
      return { total: Number(counted?.total ?? 0), records: found.map((row) => recordOf(model, row as Row)) };
    },
    count: async (scope, where = {}) => {
      const counted = await filtered(scope, { where }).count({ total: '*' }).first();
      return Number(counted?.total ?? 0);
    },
    create: async (scope, values) => {
      const id = typeof values.id === 'string' ? values.id : newId();
      const record = {
        status: 'active',
        created_by: parts.actorId,
        ...values,
        id,
        organisation_id: scope.organisationId,
        workspace_id: scope.workspaceId ?? values.workspace_id ?? null,
        slug: slugOf(values),
        created_at: now,
        last_updated_at: now,
      };
      const row = { ...rowOf(model, record), sealed: sealedOf(id, picked(values, model.secretNames)) };
      await table()
        .insert(row)
        .catch((error: unknown) => conflict(error, record));
      const stored = recordOf(model, row);
      changed(scope.organisationId);
      await emit(`${model.name}.created`, stored, {});
      return stored;
    },
    update: async (scope, id, changes) => {
      const before = await get(scope, id);
      const after = {
        ...before,
        ...changes,
        id: before.id,
        organisation_id: before.organisation_id,
        created_at: before.created_at,
        last_updated_at: Math.max(now, before.last_updated_at),
      };
      const row = rowOf(model, after);
      const secrets = Object.fromEntries(
        model.secretNames.filter((name) => changes[name] !== undefined).map((name) => [name, changes[name] as Json]),
      );
      if (Object.keys(secrets).length > 0) {
        const kept = { ...(await secretsIn(before.id)), ...secrets };
        row.sealed = sealedOf(before.id, picked(kept, model.secretNames));
      }
      await table()
        .where({ id: before.id, organisation_id: scope.organisationId })
        .update(row)
        .catch((error: unknown) => conflict(error, after));
      const stored = recordOf(model, row);
      changed(scope.organisationId);
      await emit(`${model.name}.updated`, stored, { before: before as unknown as JsonObject });
      return stored;
    },
    remove: async (scope, id, detail = {}) => {
      const record = await get(scope, id);
      await emit(`${model.name}.removing`, record, detail);
      const mine = table().where({ id: record.id, organisation_id: scope.organisationId });
      if (model.resource.removal === 'archive') await mine.update(archived(record));
      else await mine.delete();
      changed(scope.organisationId);
      await emit(`${model.name}.removed`, record, detail);
    },
    secrets: (record) => secretsIn(record.id),
  } satisfies Records as Records;
}

function plain(value: Json): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Null clears a secret. */
function picked(values: Values, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => values[name] != null).map((name) => [name, values[name] as Json]),
  ) as JsonObject;
}
