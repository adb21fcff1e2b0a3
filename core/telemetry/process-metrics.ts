import { collectDefaultMetrics, Registry } from 'prom-client';

let shown: Registry | undefined;

/**
 * Processor time, memory, event loop and garbage collection: of the whole process, however many gateways it holds, so there is
 * one. Nothing is measured before somebody looks for the first time.
 */
export function processMetrics(): Registry {
  if (shown === undefined) {
    shown = new Registry();
    collectDefaultMetrics({ register: shown });
  }
  return shown;
}
