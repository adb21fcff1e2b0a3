import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { before, describe, it } from 'node:test';
import OpenAI from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { saved, startGateway } from '../support/gateway.ts';
import { type Handshake, startRealtimeVendor } from '../support/recorded-routes/realtime.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const key = 'gw-key-of-a-team';
const model = 'gpt-realtime';

/** The SDK speaks to `wss:` only; TLS ends before a gateway, so here it is left out. */
class EndedTls extends Agent {
  override createConnection({ port }: { readonly port?: unknown }) {
    return connect(Number(port), '127.0.0.1');
  }
}
class PlainWebSocket extends WebSocket {
  constructor(url: string | URL, protocols?: ConstructorParameters<typeof WebSocket>[1]) {
    super(String(url).replace('wss:', 'ws:'), protocols);
  }
}

type Session = Pick<OpenAIRealtimeWS | OpenAIRealtimeWebSocket, 'on' | 'once' | 'send'>;

/** Asks for an answer and collects the types of what comes, up to the answer's end. */
function conversation(session: Session): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const types: string[] = [];
    session.on('error', reject);
    session.on('event', ({ type }) => types.push(type));
    session.once('session.created', () => session.send({ type: 'response.create' }));
    session.once('response.done', ({ response }) => resolve([...types, String(response.usage?.total_tokens)]));
  });
}

const answered = ['session.created', 'response.created', 'response.output_text.delta', 'response.done', '30'];

describe('the openai SDK, in realtime sessions', () => {
  const scope = suiteScope();
  let url: string;
  let handshakes: readonly Handshake[];
  const client = (apiKey = key) => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
  before(async () => {
    const vendor = await startRealtimeVendor(scope);
    handshakes = vendor.handshakes;
    const gateway = await startGateway(scope, {
      keys: [{ name: 'team', sha256: createHash('sha256').update(key).digest('hex') }],
      configs: { main: { virtual_key: 'openai' } },
      defaultConfig: 'main',
      providers: { openai: saved('openai', `${vendor.origin}/v1`) },
    });
    url = gateway.url;
  });

  it('talks through ws, with its key in a header', async () => {
    const session = new OpenAIRealtimeWS({ model, options: { agent: new EndedTls() } }, client());
    assert.deepEqual(await conversation(session), answered);
    const { url: path, headers } = handshakes.at(-1) ?? assert.fail('no handshake');
    assert.equal(path, '/v1/realtime?model=gpt-realtime');
    assert.equal(headers.authorization, 'Bearer operator-key');
    const updated = new Promise((resolve) => session.once('session.updated', resolve));
    session.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.' } });
    await updated;
    const closed = once(session.socket, 'close');
    session.close({ code: 1000, reason: 'enough' });
    assert.equal((await closed)[0], 1000);
  });

  it('talks through the WebSocket of browsers, with its key in a sub-protocol', async (t) => {
    const real = globalThis.WebSocket;
    globalThis.WebSocket = PlainWebSocket;
    t.after(() => {
      globalThis.WebSocket = real;
    });
    const session = new OpenAIRealtimeWebSocket({ model }, client());
    assert.deepEqual(await conversation(session), answered);
    const { headers } = handshakes.at(-1) ?? assert.fail('no handshake');
    assert.equal(headers.authorization, 'Bearer operator-key');
    assert.equal(headers['sec-websocket-protocol'], 'realtime');
    assert.equal(session.socket.protocol, 'realtime');
    session.close();
  });

  it("hears of the vendor's errors", async () => {
    const session = new OpenAIRealtimeWS({ model, options: { agent: new EndedTls() } }, client());
    const failed = new Promise<Error>((resolve) => session.once('error', resolve));
    session.once('session.created', () => session.send({ type: 'input_audio_buffer.clear' }));
    assert.match((await failed).message, /no such event/);
    session.close();
  });

  it('is not let in with a key that nobody knows', async () => {
    const before = handshakes.length;
    const session = new OpenAIRealtimeWS({ model, options: { agent: new EndedTls() } }, client('sk-unknown'));
    const failed = new Promise<Error>((resolve) => session.once('error', resolve));
    assert.match((await failed).message, /401/);
    assert.equal(handshakes.length, before);
  });
});
