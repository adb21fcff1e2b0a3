import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import type { Context } from 'koa';
import { GatewayError, type RequestRecord } from 'portcullis/sdk';
import { inferenceHandler } from '../../../core/http/handle.ts';
import type { Runtime } from '../../../core/pipeline/runtime.ts';
import { recordingLog } from '../../support/recording-log.ts';

it('holds its state of the gateway until settle and log have run, so that a reload closes no plugin under them', async () => {
  const order: string[] = [];
  const finished = Promise.withResolvers<void>();
  const settling = Promise.withResolvers<void>();
  const runtime = {
    config: { server: { headerVendors: ['gw'], bodyLimit: 100 } },
    pipeline: {
      identify: () => {
        throw new GatewayError('unauthenticated', 'No.');
      },
      settle: async (_: unknown, record: RequestRecord) => {
        order.push(`settle ${record.status}`);
        await settling.promise;
      },
      log: (record: RequestRecord) => order.push(`log ${record.error}`),
    },
    log: recordingLog().log,
    now: () => 5,
  } as unknown as Runtime;
  const release = () => {
    order.push('release');
    finished.resolve();
  };
  const serve = inferenceHandler(
    { method: 'get', path: '/', endpoint: 'listModels' },
    { acquire: () => ({ runtime, release }), newId: () => 'id', accepting: () => true },
  );
  const server = createServer(
    (req, res) => void serve({ req, res, method: 'GET', path: '/', search: '' } as unknown as Context, {}),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { agent: false });
  const [reply] = (await once(request, 'response')) as [IncomingMessage];
  reply.resume();
  assert.deepEqual([reply.statusCode, order], [401, ['settle 401']]);
  settling.resolve();
  await finished.promise;
  assert.deepEqual(order, ['settle 401', 'log unauthenticated', 'release']);
  server.close();
});
