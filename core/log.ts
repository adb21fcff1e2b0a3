import pino from 'pino';
import type { Log, LogFields, PluginLog } from 'portcullis/sdk';
import type { LogLevel } from './config/gateway-config.ts';

/** Lines wait for this many bytes, or this long, to be written together: a write a line would be a tenth of a request. */
const batchBytes = 32 * 1024;
const batchMs = 200;

/** A log whose lines can carry fields of their own, for as many as it is handed on to. */
export interface GatewayLog extends PluginLog {
  child(fields: LogFields): GatewayLog;
}

/** The gateway's log: one JSON line an event on standard output, `time` in epoch milliseconds. */
export function createLog(level: LogLevel): GatewayLog & { flush(): void } {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: batchBytes,
    maxWrite: 2 * batchBytes,
    periodicFlush: batchMs,
    // As strings, each line would have the whole batch measured again.
    contentMode: 'buffer',
  });
  // In this mode it takes buffers, which its types do not know.
  const write = destination.write.bind(destination) as unknown as (lines: Buffer) => boolean;
  // Those of one turn of the event loop become bytes together: that takes a line alone as long as to put it together.
  let lines = '';
  const send = () => {
    const sent = lines;
    lines = '';
    if (sent !== '') write(Buffer.from(sent));
  };
  const logger = pino(
    { level, base: null },
    {
      write: (line) => {
        if (lines === '') setImmediate(send);
        lines += line;
      },
    },
  );
  // It is called at the end of the process as well, whatever ends it.
  const flushSync = destination.flushSync.bind(destination);
  destination.flushSync = () => {
    send();
    flushSync();
  };
  return { ...wrap(logger), flush: () => destination.flushSync() };
}

/** The log of one plugin: its name stands in each line. */
export function namedLog(log: Log | GatewayLog, plugin: string): PluginLog {
  return 'child' in log ? log.child({ plugin }) : logWith(log, { plugin });
}

function logWith(log: Log, own: LogFields): GatewayLog {
  const line = (level: keyof Log) => (event: string, fields?: LogFields) => log[level](event, { ...fields, ...own });
  const child = (more: LogFields) => logWith(log, { ...own, ...more });
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), child };
}

function wrap(logger: pino.Logger): GatewayLog {
  return {
    debug: (event, fields) => logger.debug(fields ?? {}, event),
    info: (event, fields) => logger.info(fields ?? {}, event),
    warn: (event, fields) => logger.warn(fields ?? {}, event),
    error: (event, fields) => logger.error(fields ?? {}, event),
    child: (fields) => wrap(logger.child(fields)),
  };
}

/** For commands whose output is their result. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
