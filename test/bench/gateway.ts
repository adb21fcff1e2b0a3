import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Core, freePort, repository, startChild, untilListening } from './children.ts';
import { fiveChecks } from './five-checks.ts';
import { temporaryFolder } from './folders.ts';
import type { Row, RunningRow } from './row.ts';
import { type StoredRecords, storeRecords } from './stored-records.ts';

/** Our gateway as an operator starts it. `nodeFlags` are for profiling. */
export function gatewayRow(nodeFlags: readonly string[] = []): Row {
  return {
    name: 'gateway',
    about: 'identity by one hashed key of the file, a config of the file, the default pipeline, log to /dev/null',
    start: startOfFile(nodeFlags, staticText),
  };
}

const guardrail = `
guardrails:
  bench:
    checks: ${JSON.stringify(fiveChecks)}
    actions: { deny: true }
`;
const onEachRequest = 'default_guardrails: { input: [bench] }\n';

/** The first row with five native checks on every request. */
export function guardedGatewayRow(nodeFlags: readonly string[] = []): Row {
  return {
    name: 'gateway, guarded',
    about: 'as the gateway of the file, with five native checks on each request, their results in each reply',
    start: startOfFile(nodeFlags, (upstream, key) => staticText(upstream, key) + guardrail + onEachRequest),
  };
}

/** The first row with a second config, `checked`, which puts the same five checks on those requests that name it. */
export function checkedGatewayRow(): Row {
  const checked = { checked: ', input_guardrails: [bench]' };
  return {
    name: 'gateway, checked where asked for',
    about: 'as the gateway of the file, with five native checks in a second config',
    start: startOfFile([], (upstream, key) => staticText(upstream, key, checked) + guardrail),
  };
}

/** Starts a gateway whose callers, configs and guardrails all stand in the operator's file. */
function startOfFile(nodeFlags: readonly string[], textFor: (upstream: string, key: string) => string): Row['start'] {
  return async (upstream, core) => {
    const folder = temporaryFolder('gateway');
    const key = randomBytes(24).toString('hex');
    return startGateway({ folder, core, nodeFlags, headers: { authorization: `Bearer ${key}` } }, (port) =>
      fileText(port, textFor(upstream, key)),
    );
  };
}

/** The same with what the control plane keeps: a key with a saved config, whose provider's credential is saved too. */
export function storedGatewayRow(records: StoredRecords = {}): Row {
  return {
    name: 'gateway, stored',
    about:
      'identity by a key of the control plane, its saved config and its saved provider, all read from the directory',
    start: async (upstream, core) => {
      const folder = temporaryFolder('stored-gateway');
      const key = await storeRecords(folder.path, upstream, records);
      return startGateway({ folder, core, nodeFlags: [], headers: { 'x-gw-api-key': key } }, (port) =>
        fileText(port, ''),
      );
    },
  };
}

/** Everything on that an operator would put on: identity, config, limits, a guardrail, cost, logs, metrics. */
export function fullGatewayRow({
  nodeFlags = [],
  env = {},
  ...records
}: Omit<StoredRecords, 'limits'> & Partial<Pick<Start, 'nodeFlags' | 'env'>> = {}): Row {
  return {
    name: 'gateway, all on',
    about:
      'as the stored gateway, with a rate limit, a token limit, a budget, one guardrail, cost, the log of requests and metrics',
    start: async (upstream, core) => {
      const folder = temporaryFolder('full-gateway');
      const key = await storeRecords(folder.path, upstream, { limits: true, guardrail: true, ...records });
      const headers = { 'x-gw-api-key': key };
      return startGateway({ folder, core, nodeFlags, headers, env }, (port) => fileText(port, ''));
    },
  };
}

interface Start {
  readonly folder: ReturnType<typeof temporaryFolder>;
  readonly core: Core;
  readonly nodeFlags: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

async function startGateway(
  { folder, core, nodeFlags, headers, env = {} }: Start,
  textFor: (port: number) => string,
): Promise<RunningRow> {
  const port = await freePort();
  const file = join(folder.path, 'portcullis.yaml');
  await writeFile(file, textFor(port));
  const args = [join(repository, 'core/cli/node24'), ...nodeFlags, 'core/main.ts', '--config', file];
  const child = startChild('sh', args, { core, env: { DATA_DIR: folder.path, ...env } });
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

/** @param more configs beside `bench`, each with what it adds to that */
function staticText(upstream: string, key: string, more: Readonly<Record<string, string>> = {}): string {
  const sha256 = createHash('sha256').update(key).digest('hex');
  const configs = Object.entries({ bench: '', ...more }).map(
    ([name, added]) => `${name}: { provider: openai, api_key: test-key, custom_host: "${upstream}/v1"${added} }`,
  );
  return `
default_config: bench
configs: { ${configs.join(', ')} }
keys: [ { name: bench, sha256: ${sha256} } ]
`;
}
