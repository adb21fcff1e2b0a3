import pino from 'pino';
import type { JsonObject, Log } from 'portcullis/sdk';
import type { LogLevel } from './config/gateway-config.ts';

/** The gateway's log: one JSON line an event on standard output, written in batches. */
export function createLog(level: LogLevel): Log {
  return wrap(
    pino(
      { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
      pino.destination({ dest: 1, sync: false, minLength: 0 }),
    ),
  );
}

function wrap(logger: pino.Logger): Log {
  const at = (method: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: JsonObject) =>
    logger[method](fields ?? {}, event);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** For commands whose output is their result. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
