import {
  type Action,
  type ActionReply,
  GatewayError,
  type JsonObject,
  type Operation,
  type Scope,
  type StoredRecord,
} from 'portcullis/sdk';
import type { Endpoint } from './endpoints.ts';
import { refuseChanged } from './fixed.ts';
import type { InputReader } from './input.ts';
import type { Timestamps } from './moments.ts';
import type { Request, RunningOperation } from './operation.ts';
import { demand, neededFor, placeOf } from './permission.ts';
import * as standard from './standard.ts';
import { ownerOf, workspaceNamed } from './tenancy.ts';

/** What was done, for the answer and for the audit log. */
export interface Done {
  readonly reply: ActionReply;
  /** Where it was done; absent: in the organisation itself. */
  readonly workspaceId?: string | undefined;
  readonly record?: StoredRecord;
  readonly before?: StoredRecord;
  readonly after?: StoredRecord;
}

/** Finds out where the call acts, whether its caller may, and does it. */
export async function work(
  endpoint: Endpoint,
  { operation }: RunningOperation,
  request: Request,
  timestamps: Timestamps,
): Promise<Done> {
  const { needs, action } = endpoint;
  if (!Array.isArray(needs)) {
    const { body, query } = checked(endpoint, request);
    const op = { ...operation, body, query };
    return { reply: await (action as NonNullable<typeof action>).run(op, undefined) };
  }
  const { access } = request;
  // Who is bound to one place, or holds nothing else, need not be told whether a record is there.
  if (access.userId === undefined || access.workspaceId !== undefined) demand(access, needs, access.workspaceId);
  const named = await workspaceNamed(operation, request, ownerOf(endpoint), action?.archived);
  const scope: Scope = {
    organisationId: access.organisationId,
    ...(named === undefined ? {} : { workspaceId: named }),
  };
  const placed = operation.at(scope);
  if (action !== undefined) return runAction(endpoint, placed, request, needs);
  return runStandard(endpoint, placed, request, timestamps);
}

async function runAction(
  endpoint: Endpoint,
  placed: Operation,
  request: Request,
  needs: readonly string[],
): Promise<Done> {
  const { action, model } = endpoint;
  if (action === undefined) throw new TypeError('an action is needed');
  const id = request.params.id;
  const record = model === undefined || id === undefined ? undefined : await standard.visibleRecord(model, placed, id);
  const place =
    record === undefined || model === undefined ? placed.scope.workspaceId : placeOf(model.resource.permission, record);
  demand(request.access, needs, place);
  if (record !== undefined && model !== undefined && isUpdate(action))
    await refuseChanged(model, placed, record, request.body, endpoint.body);
  const { body, query } = checked(endpoint, request);
  const reply = await action.run({ ...placed, body, query }, record);
  return { reply, workspaceId: place, ...(record === undefined ? {} : { record }) };
}

async function runStandard(
  endpoint: Endpoint,
  placed: Operation,
  request: Request,
  timestamps: Timestamps,
): Promise<Done> {
  const { model, standard: kind } = endpoint;
  if (model === undefined || kind === undefined) throw new TypeError('a standard operation is needed');
  const { permission, owner } = model.resource;
  const { access } = request;
  const place = placed.scope.workspaceId;
  if (kind === 'list') {
    demand(access, [neededFor(permission, kind, { workspaceId: place })], place);
    const query = endpoint.query?.read(request.query) ?? {};
    return standard.list(model, placed, query, timestamps);
  }
  if (kind === 'create') {
    const where = { workspaceId: place, body: request.body };
    if (owner === 'workspace' && place === undefined) {
      // Asked first: who may not create anywhere is not told what to send.
      if (access.userId === undefined) demand(access, [neededFor(permission, kind, where)], undefined);
      throw new GatewayError('bad_request', 'workspace_id is required: the id or slug of a workspace.', {
        param: 'workspace_id',
      });
    }
    demand(access, [neededFor(permission, kind, where)], place);
    const { body } = checked(endpoint, request);
    return standard.create(model, { ...placed, body }, timestamps);
  }
  const record = await standard.visibleRecord(model, placed, request.params.id ?? '');
  const at = placeOf(permission, record);
  demand(access, [neededFor(permission, kind, { workspaceId: record.workspace_id ?? undefined, record })], at);
  const scope = {
    organisationId: access.organisationId,
    ...(record.workspace_id === null ? {} : { workspaceId: record.workspace_id }),
  };
  const here = placed.at(scope);
  if (kind === 'get') return standard.get(model, here, record, timestamps);
  if (kind === 'update') {
    await refuseChanged(model, here, record, request.body, endpoint.body);
    const { body } = checked(endpoint, request);
    return standard.update(model, { ...here, body }, record, timestamps);
  }
  return standard.remove(model, { ...here, body: request.body }, record, isForced(request));
}

/** Whether the action stands in the place of the standard update. */
function isUpdate({ method, path }: Action): boolean {
  return method === 'put' && path.endsWith('/:id');
}

function isForced({ body, query }: Request): boolean {
  return [body.force_delete, body.force, query.force_delete, query.force].some(
    (value) => value === true || value === 1 || value === 'true' || value === '1',
  );
}

function checked({ body, query }: Endpoint, request: Request) {
  return {
    body: readBodyFields(body, request.body),
    query: { ...request.query, ...texts(query?.read(request.query) ?? {}) },
  };
}

function readBodyFields(reader: InputReader | undefined, body: JsonObject): JsonObject {
  return reader === undefined ? body : reader.read(body);
}

function texts(query: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}
