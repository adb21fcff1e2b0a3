import { createRequire } from 'node:module';
import type { Registry } from 'prom-client';

type Library = typeof import('prom-client');

const load = createRequire(import.meta.url);

/** The library is loaded when somebody looks for the first time. */
function library(): Library {
  return load('prom-client') as Library;
}

export function newRegistry(): Registry {
  const { Registry } = library();
  return new Registry();
}

let shown: Registry | undefined;

/**
 * Processor time, memory, event loop and garbage collection: of the whole process, however many gateways it holds, so there is
 * one. Nothing is measured before somebody looks for the first time.
 */
export function processMetrics(): Registry {
  if (shown === undefined) {
    shown = newRegistry();
    library().collectDefaultMetrics({ register: shown });
  }
  return shown;
}
