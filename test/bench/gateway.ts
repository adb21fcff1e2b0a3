import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Core, freePort, repository, startChild, untilListening } from './children.ts';
import { temporaryFolder } from './folders.ts';
import type { Row, RunningRow } from './row.ts';
import { storeRecords } from './stored-records.ts';

/** Our gateway as an operator starts it. `nodeFlags` are for profiling. */
export function gatewayRow(nodeFlags: readonly string[] = []): Row {
  return {
    name: 'gateway',
    about: 'identity by one hashed key of the file, a config of the file, the default pipeline, log to /dev/null',
    start: async (upstream, core) => {
      const folder = temporaryFolder('gateway');
      const key = randomBytes(24).toString('hex');
      return startGateway({ folder, core, nodeFlags, headers: { authorization: `Bearer ${key}` } }, (port) =>
        fileText(port, staticText(upstream, key)),
      );
    },
  };
}

/** The same with what the control plane keeps: a key with a saved config, whose provider's credential is saved too. */
export function storedGatewayRow(nodeFlags: readonly string[] = []): Row {
  return {
    name: 'gateway, stored',
    about:
      'identity by a key of the control plane, its saved config and its saved provider, all read from the directory',
    start: async (upstream, core) => {
      const folder = temporaryFolder('stored-gateway');
      const key = await storeRecords(folder.path, upstream);
      return startGateway({ folder, core, nodeFlags, headers: { 'x-gw-api-key': key } }, (port) => fileText(port, ''));
    },
  };
}

interface Start {
  readonly folder: ReturnType<typeof temporaryFolder>;
  readonly core: Core;
  readonly nodeFlags: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

async function startGateway(
  { folder, core, nodeFlags, headers }: Start,
  textFor: (port: number) => string,
): Promise<RunningRow> {
  const port = await freePort();
  const file = join(folder.path, 'portcullis.yaml');
  await writeFile(file, textFor(port));
  const args = [join(repository, 'core/cli/node24'), ...nodeFlags, 'core/main.ts', '--config', file];
  const child = startChild('sh', args, { core, env: { DATA_DIR: folder.path } });
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
  return { origin: `http://127.0.0.1:${port}`, headers, pid: child.pid, stop };
}

function fileText(port: number, more: string): string {
  return `
server: { host: 127.0.0.1, port: ${port}, trusted_hosts: [127.0.0.1] }
log: { level: info }
${more}`;
}

function staticText(upstream: string, key: string): string {
  const sha256 = createHash('sha256').update(key).digest('hex');
  return `
default_config: bench
configs: { bench: { provider: openai, api_key: test-key, custom_host: "${upstream}/v1" } }
keys: [ { name: bench, sha256: ${sha256} } ]
`;
}
