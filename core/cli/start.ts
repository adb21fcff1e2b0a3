import cluster from 'node:cluster';
import { once } from 'node:events';
import { GatewayError, type Log } from 'portcullis/sdk';
import { recordsSettings } from '../config/control-settings.ts';
import { type Environment, readEnvironment } from '../config/env.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { logsSettingsOf } from '../config/log-settings.ts';
import { watchOperatorFile } from '../config/watch.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { createLog } from '../log.ts';
import type { Arguments, Console } from './command.ts';
import { loadConfig } from './operator.ts';
import { pipelineText } from './pipeline-text.ts';
import { checkWorkers, runWorkers } from './workers.ts';

/** Serves until a signal says stop, in as many processes as the operator wants; reloads on SIGHUP and when the operator's file changes. */
export async function start({ config: path }: Arguments, out: Console): Promise<number> {
  const { config: loaded, file } = await loadConfig(path);
  const log = createLog(loaded.log.level);
  const environment = readEnvironment();
  const { workers = 1, drainTimeoutMs } = loaded.server;
  checkWorkers(workers, environment.REDIS_URL);
  if (workers > 1 && cluster.isPrimary) {
    const code = await runWorkers({ count: workers, drainTimeoutMs, log });
    log.flush();
    return code;
  }
  try {
    await serve(loaded, { environment, path, file, log, out });
  } finally {
    // The channel to the primary would keep this process alive, failed or not.
    cluster.worker?.disconnect();
  }
  return 0;
}

interface Serving {
  readonly environment: Environment;
  readonly path: string | undefined;
  readonly file: string | undefined;
  readonly log: Log & { flush(): void };
  readonly out: Console;
}

async function serve(loaded: GatewayConfig, { environment, path, file, log, out }: Serving): Promise<void> {
  const logs = logsSettingsOf(environment, loaded.logsFile);
  const config = {
    ...loaded,
    ...recordsSettings(environment, loaded.controlPlugins),
    ...(logs === undefined ? {} : { logs }),
  };
  const gateway = await createGateway(config, { log });
  const { url } = await listening(gateway);
  // Of several workers, the first says it for all.
  if ((cluster.worker?.id ?? 1) === 1) out.print(welcome(gateway, url, file, config.control?.inference ?? true));
  for (const line of gateway.control?.welcome ?? []) out.print(line);

  const reload = reloader(gateway, path, log);
  process.on('SIGHUP', reload);
  process.on('unhandledRejection', (reason) => unheard(log, reason));
  const watch = file === undefined ? undefined : watchOperatorFile(file, reload);
  const stop = new AbortController();
  // A terminal interrupts workers too, whose stop is for their primary to say.
  const stops = cluster.isWorker ? ['SIGTERM'] : ['SIGTERM', 'SIGINT'];
  if (cluster.isWorker) process.on('SIGINT', () => {});
  await Promise.race(stops.map((signal) => once(process, signal, { signal: stop.signal })));
  stop.abort();
  log.info('stopping');
  watch?.close();
  process.off('SIGHUP', reload);
  await gateway.close();
  log.info('stopped');
  log.flush();
}

/** What one request left behind must not end all the others. */
function unheard(log: Log, reason: unknown): void {
  log.error('unhandled_rejection', { error: reason instanceof Error ? reason.message : 'not an error' });
}

/** A gateway that cannot be reached must not go on holding its store. */
async function listening(gateway: Gateway): Promise<Awaited<ReturnType<Gateway['listen']>>> {
  try {
    return await gateway.listen();
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

/** Reloads one after the other; a file at fault leaves everything as it was. */
function reloader(gateway: Gateway, path: string | undefined, log: Log): () => void {
  let last = Promise.resolve();
  return () => {
    last = last.then(async () => {
      try {
        const { config, file } = await loadConfig(path);
        await gateway.reload(config);
        log.info('config_reloaded', { file: file ?? 'defaults' });
      } catch (error) {
        const message = GatewayError.is(error)
          ? error.message
          : `The file could not be loaded: ${(error as Error).message}`;
        log.error('config_refused', { kept: 'the config that was running', message });
      }
    });
  };
}

function welcome(gateway: Gateway, url: string, file: string | undefined, inference: boolean): string {
  const { pipeline, open } = gateway.runtime;
  const key = open ? '' : " -H 'authorization: Bearer YOUR_KEY'";
  const body = `{"model":"echo","messages":[{"role":"user","content":"Hello"}]}`;
  const access = open
    ? 'No API keys are configured: only this machine can connect. An SDK that wants a key may send "portcullis".'
    : 'An API key is required.';
  const head = `Portcullis serves ${url}/v1 on ${file ?? 'embedded defaults'}.`;
  if (!inference) return `${head} It is the control plane alone: its routes stand at ${url}/docs.\n`;
  return `${head} ${access}

${pipelineText(pipeline.rows)}

Try it:
  curl ${url}/v1/chat/completions -H 'content-type: application/json'${key} -d '${body}'
`;
}
