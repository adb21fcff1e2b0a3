import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { asObject, type JsonObject, parseJson } from 'portcullis/sdk';
import { WebSocketServer } from 'ws';

/** What reached the vendor before the session began. */
export type Handshake = Pick<IncomingMessage, 'url' | 'headers'>;

const session = { type: 'realtime', object: 'realtime.session', id: 'sess_1', model: 'gpt-realtime' };
const response = { object: 'realtime.response', id: 'resp_1', status: 'completed', output: [] };
const usage = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };

/** What a vendor says to an event of the client; https://platform.openai.com/docs/api-reference/realtime-server-events */
const answers: Readonly<Record<string, readonly JsonObject[]>> = {
  'session.update': [{ type: 'session.updated', event_id: 'event_2', session }],
  'response.create': [
    { type: 'response.created', event_id: 'event_3', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_text.delta', event_id: 'event_4', response_id: 'resp_1', item_id: 'i', delta: 'Hi' },
    { type: 'response.done', event_id: 'event_5', response: { ...response, usage } },
  ],
};
const refusal = {
  type: 'invalid_request_error',
  code: 'unknown_event',
  message: 'There is no such event.',
  param: null,
};

/** A vendor of realtime sessions on 127.0.0.1. */
export async function startRealtimeVendor(
  t: Pick<TestContext, 'after'>,
): Promise<{ readonly origin: string; readonly handshakes: readonly Handshake[] }> {
  const handshakes: Handshake[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => offered.has('realtime') && 'realtime' });
  sockets.on('connection', (socket, { url, headers }) => {
    handshakes.push({ ...(url === undefined ? {} : { url }), headers });
    const say = (event: JsonObject) => socket.send(JSON.stringify(event));
    say({ type: 'session.created', event_id: 'event_1', session });
    socket.on('message', (data) => {
      const type = String(asObject(parseJson(String(data)))?.type);
      for (const event of answers[type] ?? [{ type: 'error', event_id: 'event_9', error: refusal }]) say(event);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, handshakes };
}
