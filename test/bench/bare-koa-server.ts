import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { type Dispatcher, Pool } from 'undici';
import { offerToParent } from './offer.ts';
import { chatPath } from './traffic.ts';

// The least that a proxy on our stack must do. The parent's one message is the upstream's origin.
let pool: Pool | undefined;
process.once('message', (origin: string) => {
  pool = new Pool(origin, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
});

const router = new Router();
router.post(chatPath, async (context) => {
  const body = await read(context.req);
  const request = JSON.parse(body.toString()) as { stream?: boolean };
  if (request.stream === true) pipe(context, body);
  else await buffer(context, body);
});
const app = new Koa();
app.use(router.routes());
offerToParent(createServer({ keepAliveTimeout: 120_000 }, app.callback()));

function read(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)));
    request.on('error', reject);
  });
}

function buffer(context: Context, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    send(body, {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        context.status = status;
        context.set('content-type', String(headers['content-type']));
      },
      onResponseData(_controller, part) {
        parts.push(part);
      },
      onResponseEnd() {
        context.body = parts.length === 1 ? parts[0] : Buffer.concat(parts);
        resolve();
      },
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

function pipe(context: Context, body: Buffer): void {
  context.respond = false;
  const response: ServerResponse = context.res;
  send(body, {
    onRequestStart(controller) {
      response.on('close', () => {
        if (!response.writableEnded) controller.abort(new Error('The client left.'));
      });
      response.on('drain', () => controller.resume());
    },
    onResponseStart(_controller, status, headers) {
      response.writeHead(status, { 'content-type': String(headers['content-type']) });
    },
    onResponseData(controller, part) {
      if (!response.write(part)) controller.pause();
    },
    onResponseEnd: () => void response.end(),
    onResponseError: () => void response.destroy(),
  });
}

function send(body: Buffer, handler: Dispatcher.DispatchHandler): void {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer test-key' };
  pool?.dispatch({ path: chatPath, method: 'POST', headers, body }, handler);
}
