import Koa, { type Context } from 'koa';

type Serve = (ctx: Context) => Promise<void>;

/** What Koa runs for each request; its types leave it out. */
interface Handling {
  handleRequest(ctx: Context, serve: Serve): Promise<void>;
}
const handling = Koa.prototype as unknown as Handling;

/**
 * Koa, whose own ending of a request runs only where one is left to it: it watches every response for the end of its socket,
 * which costs a twentieth of a request, and whoever writes a reply by himself (`ctx.respond = false`) watches it anyway.
 */
export class KoaApp extends Koa implements Handling {
  async handleRequest(ctx: Context, serve: Serve): Promise<void> {
    ctx.res.statusCode = 404;
    let ending: Serve;
    try {
      await serve(ctx);
      if (ctx.respond === false) return;
      const { statusCode } = ctx.res;
      ending = async () => {
        ctx.res.statusCode = statusCode;
      };
    } catch (error) {
      ending = () => Promise.reject(error);
    }
    return handling.handleRequest.call(this, ctx, ending);
  }
}
