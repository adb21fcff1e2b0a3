import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import Koa, { type Context } from 'koa';
import { KoaApp } from '../../../core/http/koa-app.ts';

const closing: (() => void)[] = [];

async function served(app: Koa, serve: (ctx: Context) => Promise<void>) {
  app.silent = true;
  const listener = app.use(serve).callback();
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
}

const setting = (members: Partial<Pick<Context, 'status' | 'body'>>) => async (ctx: Context) => {
  Object.assign(ctx, members);
};

const kinds: readonly [string, (ctx: Context) => Promise<void>][] = [
  ['nothing', setting({})],
  ['a status alone', setting({ status: 204 })],
  ['a body alone', setting({ body: { some: 'thing' } })],
  ['a body with a status', setting({ status: 418, body: 'short and stout' })],
  ['a body of null', setting({ body: null })],
  ['an error', () => Promise.reject(new Error('not told'))],
  ['an error with a status that is told', async (ctx) => ctx.throw(409, 'told')],
];

describe('the application', () => {
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  for (const [what, serve] of kinds) {
    it(`ends a request as Koa does: ${what}`, async () => {
      assert.deepEqual(await served(new KoaApp(), serve), await served(new Koa(), serve));
    });
  }

  it('leaves a reply alone that is written by others, and does not listen to it', async () => {
    const listeners: number[] = [];
    const write = async (ctx: Context) => {
      ctx.respond = false;
      listeners.push(ctx.res.listenerCount('finish') + ctx.res.listenerCount('end'));
      ctx.res.writeHead(201, { 'content-type': 'text/plain' }).end('written');
    };
    const expected = { status: 201, type: 'text/plain', text: 'written' };
    assert.deepEqual(await served(new KoaApp(), write), expected);
    assert.deepEqual(await served(new Koa(), write), expected);
    const [own = 0, koas = 0] = listeners;
    assert.ok(own < koas, `${own} listeners, and ${koas} of Koa`);
  });

  it('answers with an error where nothing of a reply that others write has been written', async () => {
    const reply = await served(new KoaApp(), async (ctx) => {
      ctx.respond = false;
      throw new Error('not told');
    });
    assert.equal(reply.status, 500);
    assert.doesNotMatch(reply.text, /not told/);
  });
});
