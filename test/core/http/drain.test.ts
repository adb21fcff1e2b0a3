import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { it } from 'node:test';
import { effectiveConfig } from '../../../core/config/effective.ts';
import { readEnvironment } from '../../../core/config/env.ts';
import { createGateway } from '../../../core/gateway.ts';
import { silentLog } from '../../../core/log.ts';

it('closes as soon as the last reply is out, although clients would keep their connections', async () => {
  const config = effectiveConfig(undefined, readEnvironment({ PORT: '0', DRAIN_TIMEOUT: '60000' }));
  const gateway = await createGateway(config, { log: silentLog });
  const { url } = await gateway.listen();
  const agent = new Agent({ keepAlive: true });
  const sent = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json' },
  });
  sent.setHeader('expect', '100-continue');
  sent.flushHeaders();
  // The gateway has begun with the request once it asks for the body.
  await once(sent, 'continue');
  sent.write('{"model":"echo",');
  const closed = gateway.close().then(() => 'closed');
  sent.end('"messages":[{"role":"user","content":"Hi"}]}');
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  reply.resume();
  await once(reply, 'end');
  const waited = new Promise((resolve) => setTimeout(resolve, 3000, 'still open'));
  assert.equal(await Promise.race([closed, waited]), 'closed');
  agent.destroy();
  await closed;
});
