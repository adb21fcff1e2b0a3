import { startServer } from './children.ts';
import type { Row } from './row.ts';

/** The floor of our stack, and what all ratios are against. */
export const bareKoa: Row = {
  name: 'bare Koa',
  about: 'Koa + @koa/router + undici dispatch: request parsed, JSON reply buffered, streams piped as bytes',
  async start(upstream, core) {
    const { child, origin } = await startServer('bare-koa-server.ts', core);
    await child.ask(upstream);
    return { origin, headers: {}, pid: child.pid, stop: child.stop };
  },
};
