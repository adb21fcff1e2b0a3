import type { ControlHost, Host, LogSinks, LogStore } from 'portcullis/sdk';
import { memoryLogs } from './memory-logs.ts';

/** The logs that the next gateway of the test gets. */
export const injected: { logs: LogStore & LogSinks } = { logs: memoryLogs() };

/** The same host with the logs of the test. */
export function withLogs<H extends Host | ControlHost>(host: H): H {
  return Object.create(host, { logs: { value: injected.logs } }) as H;
}
