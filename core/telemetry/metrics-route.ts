import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { GatewayError } from 'portcullis/sdk';
import { isLoopback } from '../http/local-callers.ts';

/**
 * Who may read the metrics: nobody; programs on this machine; whoever brings the token; anyone who reaches the port. They tell
 * models, statuses and how much is spent, so the network gets them only where the operator has said so.
 */
export type MetricsAccess = 'none' | 'local' | 'anyone' | { readonly token: string };

export interface MetricsSettings {
  /** `ENABLE_PROMETHEUS`. */
  readonly enabled?: boolean | undefined;
  /** `PROMETHEUS_TOKEN`. */
  readonly token?: string | undefined;
}

export function metricsAccessOf({ enabled, token }: MetricsSettings): MetricsAccess {
  if (enabled === false) return 'none';
  if (token !== undefined && token !== '') return { token };
  return enabled === true ? 'anyone' : 'local';
}

export interface MetricsRouteOptions {
  readonly access: MetricsAccess;
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** Answers `GET /metrics`. Who may not know that it is there gets what an unknown path gets. */
export function metricsRoute({ access, text, contentType }: MetricsRouteOptions): (ctx: Context) => Promise<void> {
  let running: Promise<string> | undefined;
  /** Several who look at once get the same text: it is put together on the loop that serves. */
  const shared = (): Promise<string> => {
    running ??= text().finally(() => {
      running = undefined;
    });
    return running;
  };
  return async (ctx) => {
    admit(access, ctx);
    ctx.body = await shared();
    ctx.set({ 'content-type': contentType, 'cache-control': 'no-store' });
  };
}

function admit(access: MetricsAccess, ctx: Context): void {
  if (access === 'anyone' || (access === 'local' && isLocal(ctx))) return;
  if (typeof access === 'string') throw new GatewayError('not_found', `There is no route ${ctx.method} ${ctx.path}.`);
  const [, given] = /^Bearer +(\S+)$/i.exec(ctx.get('authorization')) ?? [];
  if (given !== undefined && timingSafeEqual(digest(given), digest(access.token))) return;
  throw new GatewayError('unauthenticated', 'The metrics need the token of PROMETHEUS_TOKEN as Bearer token.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Whether it is a program on this machine that asks: no proxy on it that passes on what others ask, and no page in a browser
 * that has found a name for it (DNS rebinding).
 */
function isLocal({ req: { socket, headers } }: Context): boolean {
  const from = socket.remoteAddress?.replace(/^::ffff:/, '');
  const name = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return (
    isLoopback(from) &&
    isLoopback(name) &&
    headers.origin === undefined &&
    !forwarding.some((header) => header in headers)
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
