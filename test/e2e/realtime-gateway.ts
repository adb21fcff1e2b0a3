import { createGateway } from '../../core/gateway.ts';
import { testConfig } from '../support/gateway.ts';

/** A gateway as a process: its parent asks how much memory it has. */
const [, , peer = ''] = process.argv;
const gateway = await createGateway(
  testConfig({ configs: { main: { provider: 'openai', api_key: 'sk', custom_host: peer } }, defaultConfig: 'main' }),
  { env: () => undefined },
);
const { url } = await gateway.listen();
process.on('message', () => {
  // What is left of messages that are gone says nothing.
  globalThis.gc?.();
  const { rss, arrayBuffers } = process.memoryUsage();
  process.send?.({ rss, arrayBuffers });
});
process.send?.(url);
