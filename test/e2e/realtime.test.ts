import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { type WebSocket as Socket, WebSocket, WebSocketServer } from 'ws';
import { startGateway } from '../support/gateway.ts';

interface Peer {
  readonly url: string;
  readonly seen: { readonly url: string; readonly headers: Readonly<Record<string, unknown>> }[];
  readonly sessions: Socket[];
}

const closing: (() => void)[] = [];
after(() => {
  for (const close of closing) close();
});

/** A provider of realtime sessions that answers `response.create`, and echoes everything else. */
async function startPeer(refuse?: number): Promise<Peer> {
  const seen: Peer['seen'] = [];
  const sessions: Socket[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
  server.on('upgrade', (request, socket, head) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    if (refuse !== undefined) {
      const body = JSON.stringify({ error: { message: 'No such model', type: 'invalid_request_error' } });
      socket.end(
        `HTTP/1.1 ${refuse} Refused\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (session) => {
      sessions.push(session);
      session.on('message', (data, binary) => answer(session, data as Buffer, binary));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const session of sessions) session.terminate();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen, sessions };
}

function answer(session: Socket, data: Buffer, binary: boolean): void {
  if (binary || !data.includes('response.create')) {
    session.send(data, { binary });
    return;
  }
  session.send(JSON.stringify({ type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } }));
  session.send(JSON.stringify({ type: 'response.output_text.delta', delta: 'Hi' }));
  const usage = {
    total_tokens: 30,
    input_tokens: 20,
    output_tokens: 10,
    input_token_details: { text_tokens: 12, audio_tokens: 8, cached_tokens: 4 },
    output_token_details: { text_tokens: 6, audio_tokens: 4 },
  };
  session.send(JSON.stringify({ type: 'response.done', response: { id: 'resp_1', status: 'completed', usage } }));
}

async function open(url: string, protocols: readonly string[], headers: Record<string, string> = {}): Promise<Socket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], { headers });
  closing.push(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

async function next(socket: Socket): Promise<unknown> {
  const [data] = await once(socket, 'message');
  return JSON.parse(String(data));
}

describe('a realtime session', () => {
  it('passes messages of both directions, and closes with the code of whoever closes', async (t) => {
    const peer = await startPeer();
    const gateway = await startGateway(t, {
      configs: { main: { provider: 'openai', api_key: 'sk-up', custom_host: peer.url } },
      defaultConfig: 'main',
    });
    const client = await open(`${gateway.url}/v1/realtime?model=gpt-realtime&x=1`, ['realtime']);
    assert.equal(client.protocol, 'realtime');
    assert.equal(peer.seen[0]?.url, '/v1/realtime?model=gpt-realtime&x=1');
    assert.equal(peer.seen[0]?.headers.authorization, 'Bearer sk-up');
    client.send(JSON.stringify({ type: 'session.update', session: {} }));
    assert.deepEqual(await next(client), { type: 'session.update', session: {} });
    const closed = once(peer.sessions[0] as Socket, 'close');
    client.close(4001, 'enough');
    const [code, reason] = await closed;
    assert.deepEqual([code, String(reason)], [4001, 'enough']);
  });
});
