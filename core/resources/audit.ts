import type { AuditEvent, GatewayError, JsonObject, Principal, StoredRecord } from 'portcullis/sdk';
import { asObject, asString, RawReply } from 'portcullis/sdk';
import type { Endpoint } from './endpoints.ts';
import { masked } from './masking.ts';
import type { Timestamps } from './moments.ts';
import type { Request } from './operation.ts';
import { derivedForm } from './output.ts';
import { placeOf } from './permission.ts';
import type { Done } from './work.ts';

/** The call as the audit log tells it. */
export interface Subject {
  readonly method: string;
  /** Path without query. */
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly principal: Principal | undefined;
  readonly resourceType: string;
}

interface Effect extends Done {
  readonly status: number;
  readonly detail: JsonObject;
}

const actions = { post: 'create', put: 'update', patch: 'update', delete: 'delete', get: 'read' } as const;
/** Characters of JSON. */
const longestBody = 65_536;
/** Headers that tell something about the caller and hold no credential. */
const told = ['user-agent', 'content-type', 'x-forwarded-for', 'origin', 'referer'];

export function auditOf(
  endpoint: Endpoint,
  request: Request,
  subject: Subject,
  effect: Effect,
  timestamps: Timestamps,
): AuditEvent {
  const { before, after, record } = effect;
  // As replies show it: what is kept inside is nobody's to read there either.
  const told = (of: StoredRecord): JsonObject =>
    masked(
      endpoint.model === undefined ? (of as unknown as JsonObject) : derivedForm(endpoint.model, of, timestamps, true),
    );
  const touched = after ?? before ?? record;
  const resourceId = touched?.id ?? madeBy(endpoint, effect);
  const workspaceId = touched === undefined ? effect.workspaceId : placeIn(endpoint, touched);
  return {
    ...actorOf(endpoint, request, subject),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(workspaceId === undefined ? {} : { workspaceId }),
    status: effect.status,
    ...(before === undefined ? {} : { before: told(before) }),
    ...(after === undefined ? {} : { after: told(after) }),
    ...(Object.keys(effect.detail).length === 0 ? {} : { detail: masked(effect.detail) }),
  };
}

/** The id that a reply tells of what an action has made. */
function madeBy({ method }: Endpoint, { reply }: Effect): string | undefined {
  return method === 'post' && !(reply instanceof RawReply) ? asString(reply?.id) : undefined;
}

/** Where a record belongs; a workspace belongs to itself. */
export function placeIn({ model }: Endpoint, record: StoredRecord): string | undefined {
  return model === undefined ? (record.workspace_id ?? undefined) : placeOf(model.resource.permission, record);
}

/** A write that was refused. @param workspaceId where it was to be done, as far as that is known */
export function refusalOf(
  endpoint: Endpoint,
  request: Request,
  subject: Subject,
  error: GatewayError,
  workspaceId: string | undefined,
): AuditEvent {
  return {
    ...actorOf(endpoint, request, subject),
    ...(workspaceId === undefined ? {} : { workspaceId }),
    status: error.status,
    detail: { code: error.code, ...(error.param === undefined ? {} : { param: error.param }) },
  };
}

function actorOf(endpoint: Endpoint, request: Request, subject: Subject): AuditEvent {
  const { access } = request;
  const verb = endpoint.action === undefined ? undefined : lastWord(endpoint.action.path);
  return {
    organisationId: access.organisationId,
    ...(access.workspaceId === undefined ? {} : { workspaceId: access.workspaceId }),
    resourceType: subject.resourceType,
    action: verb ?? actions[endpoint.method],
    ...(request.actorId === '' ? {} : { userId: request.actorId }),
    userType: access.keyId === undefined ? 'user' : 'api_key',
    ...(subject.principal?.name === undefined ? {} : { actorName: subject.principal.name }),
    method: subject.method,
    uri: subject.uri,
    requestId: request.id,
    clientIp: request.clientIp,
    query: masked(asObject(request.query) ?? {}),
    body: bounded(masked(request.body)),
    headers: Object.fromEntries(
      told.flatMap((name) => (subject.headers[name] === undefined ? [] : [[name, subject.headers[name] ?? '']])),
    ),
  };
}

/** Whoever may send a body must not be able to fill the log with it: what was stored of it stands in `after`. */
function bounded(body: JsonObject): JsonObject {
  const { length } = JSON.stringify(body);
  return length <= longestBody ? body : { omitted: `${length} characters` };
}

/** `/api-keys/:id/rotate` -> `rotate`. */
function lastWord(path: string): string | undefined {
  const last = path.split('/').at(-1);
  return last === undefined || last.startsWith(':') || last === '' ? undefined : last;
}
