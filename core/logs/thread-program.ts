import { parentPort, workerData } from 'node:worker_threads';
import type { Log, LogFields } from 'portcullis/sdk';
import { GatewayError } from 'portcullis/sdk/errors';
import { compact } from 'portcullis/sdk/json';
import { isUnavailable } from '../store/failures.ts';
import type { Answer, Call, ThreadData, ThreadError } from './messages.ts';

/** A thread of the logs: it opens what it needs when it is first asked, and again when that failed. */
const { role, settings } = workerData as ThreadData;

type Method = (...args: unknown[]) => unknown;
type Target = { readonly [method: string]: Method };

let opened: Promise<Target> | undefined;

function send(answer: Answer): void {
  parentPort?.postMessage(answer);
}

function line(level: keyof Log): Log['info'] {
  return (event: string, fields: LogFields = {}) => send({ line: { level, event, fields: compact(fields) } });
}

const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };

function target(): Promise<Target> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function open(): Promise<Target> {
  if (role === 'objects') {
    const { openObjectSink } = await import('./objects/object-sink.ts');
    return openObjectSink(settings) as unknown as Target;
  }
  const { openEngine } = await import('./open-engine.ts');
  return (await openEngine(settings, role === 'read', log)) as unknown as Target;
}

async function answer({ id, method, args }: Call): Promise<void> {
  try {
    if (method === 'close' && opened === undefined) return send({ id, result: undefined });
    const made = await target();
    // Asking for nothing is how it is opened.
    send({ id, result: method === 'open' ? undefined : await made[method]?.(...args) });
  } catch (error) {
    send({ id, error: told(error) });
  }
}

function told(error: unknown): ThreadError {
  const message = error instanceof Error ? error.message : String(error);
  if (!GatewayError.is(error)) return isAway(error) ? { message, isAway: true } : { message };
  return { message, code: error.code, ...(error.param === undefined ? {} : { param: error.param }) };
}

/** Clients of HTTP put the fault of the connection behind their own. */
function isAway(error: unknown): boolean {
  if (isUnavailable(error)) return true;
  return error instanceof Error && (error.name === 'TimeoutError' || isUnavailable(error.cause));
}

parentPort?.on('message', (call: Call) => void answer(call));
