import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, repository, startChild, untilListening } from './children.ts';
import { temporaryFolder } from './folders.ts';
import type { Row } from './row.ts';

/** Our gateway as an operator starts it. `nodeFlags` are for profiling. */
export function gatewayRow(nodeFlags: readonly string[] = []): Row {
  return {
    name: 'gateway',
    about: 'identity by one hashed key, a named config, the default pipeline, log to /dev/null',
    async start(upstream, core) {
      const folder = temporaryFolder('gateway');
      const port = await freePort();
      const key = randomBytes(24).toString('hex');
      const file = join(folder.path, 'portcullis.yaml');
      await writeFile(file, configText(port, upstream, key));
      const args = [join(repository, 'core/cli/node24'), ...nodeFlags, 'core/main.ts', '--config', file];
      const child = startChild('sh', args, { core });
      const stop = async () => {
        await child.stop();
        folder.remove();
      };
      try {
        await untilListening(child, port);
      } catch (error) {
        await stop();
        throw error;
      }
      return { origin: `http://127.0.0.1:${port}`, headers: { authorization: `Bearer ${key}` }, pid: child.pid, stop };
    },
  };
}

function configText(port: number, upstream: string, key: string): string {
  const sha256 = createHash('sha256').update(key).digest('hex');
  return `
server: { host: 127.0.0.1, port: ${port}, trusted_hosts: [127.0.0.1] }
log: { level: info }
default_config: bench
configs: { bench: { provider: openai, api_key: test-key, custom_host: "${upstream}/v1" } }
keys: [ { name: bench, sha256: ${sha256} } ]
`;
}
