import {
  asString,
  GatewayError,
  type JsonObject,
  type ListOptions,
  type Operation,
  type StoredRecord,
} from 'portcullis/sdk';
import { pagingOf } from './endpoints.ts';
import type { ResourceModel } from './model.ts';
import type { Timestamps } from './moments.ts';
import { shown } from './output.ts';

/** What an operation did to a record: for the audit log. */
export interface Effect {
  readonly reply: JsonObject;
  readonly before?: StoredRecord;
  readonly after?: StoredRecord;
}

export async function list(
  model: ResourceModel,
  operation: Operation,
  query: JsonObject,
  timestamps: Timestamps,
): Promise<Effect> {
  const { resource } = model;
  const { page, size } = pagingOf(resource);
  const where: Record<string, unknown> = {};
  for (const name of Object.keys(resource.filters ?? {})) {
    const value = query[name];
    if (value !== undefined && model.queryable.has(name)) where[name] = alternatives(value);
  }
  Object.assign(where, await resource.hooks?.list?.(operation));
  const search = asString(query.search);
  const { total, records } = await operation.records(model.name).list(operation.scope, {
    where: where as NonNullable<ListOptions['where']>,
    page: Number(query.current_page ?? query[page]),
    pageSize: Number(query.page_size ?? query[size]),
    ...(where.status === undefined && resource.removal === 'archive' ? { archived: false } : {}),
    ...(search === undefined ? {} : { search }),
  });
  const items: JsonObject[] = [];
  for (const record of records) items.push(await shown(model, record, operation, timestamps, false));
  const own = resource.replies?.list;
  const reply = own === undefined ? { object: 'list', total, data: items } : await own.of({ total, items }, operation);
  return { reply };
}

/** `active,archived` asks for either. */
function alternatives(value: unknown): unknown {
  return typeof value === 'string' && value.includes(',') ? value.split(',').map((part) => part.trim()) : value;
}

/** The record of `:id`, where the caller may see it. @throws GatewayError `not_found` */
export async function visibleRecord(model: ResourceModel, operation: Operation, id: string): Promise<StoredRecord> {
  const record = await operation.records(model.name).get(operation.scope, id);
  const { hooks, removal } = model.resource;
  const visible =
    hooks?.visible === undefined
      ? removal !== 'archive' || record.status !== 'archived'
      : await hooks.visible(operation, record);
  if (visible) return record;
  throw new GatewayError('not_found', `There is no ${model.noun} with the id or slug "${id.slice(0, 100)}".`, {
    param: 'id',
  });
}

export async function get(
  model: ResourceModel,
  operation: Operation,
  record: StoredRecord,
  timestamps: Timestamps,
): Promise<Effect> {
  const form = await shown(model, record, operation, timestamps, true);
  const own = model.resource.replies?.get;
  return { reply: own === undefined ? form : await own.of({ record, shown: form }, operation) };
}

export async function create(model: ResourceModel, operation: Operation, timestamps: Timestamps): Promise<Effect> {
  const { hooks, replies, object } = model.resource;
  const given = operation.body;
  const values = { ...stored(model, given), ...(await hooks?.create?.(operation, given)) };
  const record = await operation.records(model.name).create(operation.scope, values);
  await hooks?.created?.(operation, record);
  const reply =
    replies?.create === undefined
      ? { id: record.id, ...(record.slug === null ? {} : { slug: record.slug }), object }
      : await replies.create.of({ record, shown: await shown(model, record, operation, timestamps, true) }, operation);
  return { reply, after: record };
}

export async function update(
  model: ResourceModel,
  operation: Operation,
  before: StoredRecord,
  timestamps: Timestamps,
): Promise<Effect> {
  const { hooks, replies } = model.resource;
  const given = operation.body;
  const changes = { ...stored(model, given), ...(await hooks?.update?.(operation, before, given)) };
  const scope = { organisationId: before.organisation_id };
  const after =
    Object.keys(changes).length === 0 ? before : await operation.records(model.name).update(scope, before.id, changes);
  await hooks?.updated?.(operation, before, after);
  const reply =
    replies?.update === undefined
      ? {}
      : await replies.update.of(
          { record: after, shown: await shown(model, after, operation, timestamps, true) },
          operation,
        );
  return { reply, before, after };
}

export async function remove(
  model: ResourceModel,
  operation: Operation,
  record: StoredRecord,
  force: boolean,
): Promise<Effect> {
  const { hooks, replies } = model.resource;
  await hooks?.remove?.(operation, record);
  await operation.records(model.name).remove({ organisationId: record.organisation_id }, record.id, { force });
  return { reply: replies?.remove === undefined ? {} : await replies.remove.of({ record }, operation), before: record };
}

/** Fields that hooks read and nobody stores are left out. */
function stored({ fields, resource }: ResourceModel, body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name]) =>
        fields[name]?.['x-input'] !== true &&
        (fields[name] !== undefined || (name === 'slug' && resource.slug?.given === true)),
    ),
  ) as JsonObject;
}
