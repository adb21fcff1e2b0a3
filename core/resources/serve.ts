import { Readable } from 'node:stream';
import type { Context } from 'koa';
import {
  type Access,
  type ActionReply,
  type Db,
  GatewayError,
  type JsonObject,
  type Operation,
  type Principal,
  RawReply,
} from 'portcullis/sdk';
import { parseBody, readBody } from '../http/body.ts';
import type { Store } from '../store/store.ts';
import { AsideWorks, Awaiting } from './aside.ts';
import { auditOf, placeIn, refusalOf, type Subject } from './audit.ts';
import { nobody } from './callers.ts';
import type { Endpoint } from './endpoints.ts';
import { errorEnvelope, errorOf } from './envelope.ts';
import { type OperationParts, type Request, type RunningOperation, startOperation } from './operation.ts';
import { queryTexts } from './query-texts.ts';
import { ownerOf, workspaceNamed } from './tenancy.ts';
import { type Done, work } from './work.ts';

/** One call, with what the edge knows of it. */
export interface Call {
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly control: (name: string) => string | undefined;
  readonly vendor: string;
  /** Who calls; undefined for public routes and the gateway's own data planes. */
  readonly principal: Principal | undefined;
}

export interface ServeParts extends OperationParts {
  readonly store: Store;
  readonly bodyLimit: number;
  /** Who calls. @throws GatewayError `unauthenticated` */
  readonly identify: (ctx: Context, params: Readonly<Record<string, string>>) => Promise<Call>;
  /** What every call has, known or not. */
  readonly anonymous: (ctx: Context, params: Readonly<Record<string, string>>) => Call;
  /** @throws GatewayError `unauthenticated` unless it comes from a data plane of this deployment */
  readonly demandService: (call: Call) => void;
}

/** Answers one call of a route of the control plane. */
export async function serve(
  endpoint: Endpoint,
  ctx: Context,
  params: Readonly<Record<string, string>>,
  parts: ServeParts,
): Promise<void> {
  let call = parts.anonymous(ctx, params);
  let request: Request | undefined;
  try {
    if (Array.isArray(endpoint.needs) || endpoint.needs === 'session') call = await parts.identify(ctx, params);
    else if (endpoint.needs === 'service') parts.demandService(call);
    const access = accessOf(endpoint, call);
    // Behind the look at who calls: strangers are not listened to.
    const given = endpoint.method === 'get' ? {} : await bodyOf(ctx, limitOf(endpoint, parts), endpoint.action?.list);
    request = {
      id: call.id,
      plugin: endpoint.plugin,
      access,
      actorId: access.userId ?? access.keyId ?? '',
      principal: call.principal,
      scope: { organisationId: access.organisationId },
      params,
      query: queryTexts(ctx.query, endpoint.query),
      body: given,
      control: call.control,
      header: (name) => header(ctx, name),
      clientIp: ctx.ip.replace(/^::ffff:/, ''),
    };
    const reply = await perform(endpoint, request, parts, subjectOf(endpoint, ctx, call));
    send(ctx, endpoint.status, reply);
  } catch (thrown) {
    const error = errorOf(thrown, call.id);
    if (error.status >= 500) {
      parts.log.error('control_failed', {
        request: call.id,
        code: error.code,
        message: error.message,
        cause: causeOf(error),
      });
    }
    // A store that cannot be asked takes no audit entry either: the caller would only wait for longer.
    const told = endpoint.audited && error.code !== 'not_ready';
    if (told && request !== undefined && request.access.organisationId !== '') {
      await refused(endpoint, request, error, parts, subjectOf(endpoint, ctx, call));
    }
    ctx.status = error.status;
    ctx.body = errorEnvelope(error);
    for (const name in error.headers) ctx.set(name, error.headers[name] ?? '');
  }
  ctx.set(`x-${call.vendor}-request-id`, call.id);
  ctx.set('cache-control', 'no-store');
}

function accessOf(endpoint: Endpoint, call: Call): Access {
  if (endpoint.needs === 'public' || endpoint.needs === 'service') return nobody;
  const { principal } = call;
  if (principal === undefined || principal.kind === 'anonymous') {
    throw new GatewayError(
      'unauthenticated',
      'This needs an API key, session or token of this gateway: the call has none that is known here.',
    );
  }
  const { access } = principal;
  if (access === undefined) {
    throw new GatewayError(
      'forbidden',
      "This caller belongs to no organisation: the control plane takes its own keys, sessions and tokens, not the keys of the operator's file.",
    );
  }
  if (endpoint.needs === 'session' && principal.kind === 'key') {
    throw new GatewayError('unauthenticated', 'This needs a session or a token of a person: an API key is no person.');
  }
  return access;
}

/** Runs the work in a transaction, or without one where nothing is written. */
async function perform(
  endpoint: Endpoint,
  request: Request,
  parts: ServeParts,
  subject: Subject,
): Promise<ActionReply> {
  if (!endpoint.audited && endpoint.method === 'get') {
    const running = startOperation(parts, parts.store.db, request);
    const { reply } = await work(endpoint, running, request, parts.timestamps);
    running.committed();
    return reply;
  }
  if (endpoint.action?.transaction === false) return performApart(endpoint, request, parts, subject);
  const works = new AsideWorks();
  for (;;) {
    try {
      return await transact(endpoint, request, parts, subject, works);
    } catch (thrown) {
      if (!(thrown instanceof Awaiting)) throw thrown;
      await Promise.allSettled([thrown.awaited]);
    }
  }
}

async function transact(
  endpoint: Endpoint,
  request: Request,
  parts: ServeParts,
  subject: Subject,
  works: AsideWorks,
): Promise<ActionReply> {
  let running: RunningOperation | undefined;
  const reply = await parts.store.transaction(async (trx) => {
    const attempt = startOperation(parts, trx, request, works.run);
    running = attempt;
    const done = await work(endpoint, attempt, request, parts.timestamps);
    if (endpoint.audited) await audit(endpoint, request, done, attempt, trx, parts, subject);
    await attempt.settle();
    return done.reply;
  });
  running?.committed();
  return reply;
}

/** The action takes its own transactions: while it calls out, the store is free for others. */
async function performApart(
  endpoint: Endpoint,
  request: Request,
  parts: ServeParts,
  subject: Subject,
): Promise<ActionReply> {
  const running = startOperation(parts, parts.store.db, request);
  const done = await work(endpoint, running, request, parts.timestamps);
  if (endpoint.audited) {
    await parts.store.transaction((trx) => audit(endpoint, request, done, running, trx, parts, subject));
  }
  running.committed();
  return done.reply;
}

async function audit(
  endpoint: Endpoint,
  request: Request,
  done: Done,
  running: RunningOperation,
  db: Db,
  parts: ServeParts,
  subject: Subject,
): Promise<void> {
  if (parts.audit === undefined || request.access.organisationId === '') return;
  const status = done.reply instanceof RawReply ? done.reply.status : endpoint.status;
  await parts.audit(
    auditOf(endpoint, request, subject, { ...done, status, detail: running.detail() }, parts.timestamps),
    db,
  );
}

/** A write that was refused is told too; that it cannot be written down does not change the answer. */
async function refused(
  endpoint: Endpoint,
  request: Request,
  error: GatewayError,
  parts: ServeParts,
  subject: Subject,
): Promise<void> {
  const { audit: sink, store, log } = parts;
  if (sink === undefined) return;
  await store
    .transaction(async (trx) => {
      const { operation } = startOperation(parts, trx, request);
      await sink(refusalOf(endpoint, request, subject, error, await meantPlace(endpoint, operation, request)), trx);
    })
    .catch((cause: unknown) => log.error('audit_failed', { request: request.id, cause: causeOf({ cause }) }));
}

/** The workspace that a refused call was about, where it names one or a record of one. */
async function meantPlace(endpoint: Endpoint, operation: Operation, request: Request): Promise<string | undefined> {
  if (!Array.isArray(endpoint.needs)) return undefined;
  const named = await workspaceNamed(operation, request, ownerOf(endpoint), true).catch(() => undefined);
  const { id } = request.params;
  if (named !== undefined || endpoint.model === undefined || id === undefined) return named;
  const record = await operation
    .records(endpoint.model.name)
    .find(request.scope, id)
    .catch(() => undefined);
  return record === undefined ? undefined : placeIn(endpoint, record);
}

function subjectOf(endpoint: Endpoint, ctx: Context, call: Call): Subject {
  return {
    method: ctx.method,
    uri: ctx.path,
    headers: ctx.req.headers as Readonly<Record<string, string>>,
    principal: call.principal,
    resourceType: endpoint.model?.name ?? endpoint.tag,
  };
}

/** Bytes of a body from somebody who need not say who it is: log-ins and the like are small. */
const strangersLimit = 65_536;

function limitOf({ needs }: Endpoint, { bodyLimit }: ServeParts): number {
  return needs === 'public' ? Math.min(bodyLimit, strangersLimit) : bodyLimit;
}

async function bodyOf(ctx: Context, limit: number, list: string | undefined): Promise<JsonObject> {
  const bytes = await readBody(ctx.req, limit);
  return bytes.length === 0 ? {} : parseBody(bytes, list);
}

function header(ctx: Context, name: string): string | undefined {
  const value = ctx.req.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function send(ctx: Context, status: number, reply: ActionReply): void {
  if (reply instanceof RawReply) {
    ctx.status = reply.status;
    for (const [name, value] of Object.entries(reply.headers)) ctx.set(name, value as string);
    ctx.body = wireBody(reply.body);
    ctx.status = reply.status;
    return;
  }
  ctx.status = status;
  ctx.body = reply ?? {};
}

function wireBody(body: RawReply['body']): string | Buffer | Readable | null {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return typeof body === 'object' ? Readable.from(body, { objectMode: false }) : (body ?? null);
}

function causeOf({ cause }: { readonly cause?: unknown }): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : 'none';
}
