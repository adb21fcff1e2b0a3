import cluster, { type Worker } from 'node:cluster';
import { GatewayError } from 'portcullis/sdk';
import { AggregatorRegistry } from 'prom-client';
import type { GatewayMetrics } from './metrics.ts';

const asks = 'portcullis:metrics:ask';
const answers = 'portcullis:metrics:answer';
/** The library waits five seconds for the workers. */
const patienceMs = 6000;

interface Answer {
  readonly type: typeof answers;
  readonly id: number;
  /** Undefined: not all workers have said something. */
  readonly text?: string;
}

/** In the process that holds the workers: answers any of them with the sums over all. Called once. */
export function answerWorkers(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (!isAsking(message)) return;
    const reply = (text?: string) => {
      const answer: Answer = { type: answers, id: message.id, ...(text === undefined ? {} : { text }) };
      if (worker.isConnected()) worker.send(answer);
    };
    all.clusterMetrics().then(reply, () => reply());
  });
}

/** In a worker: the text over all workers, so that it does not matter which of them a scrape meets. Called once. */
export function textOfAllWorkers(metrics: GatewayMetrics): () => Promise<string> {
  AggregatorRegistry.setRegistries([...metrics.registries()]);
  // Made for what it does then: it answers the other process.
  new AggregatorRegistry();
  const waiting = new Map<number, (answer: Answer) => void>();
  let asked = 0;
  process.on('message', (message) => {
    if (isAnswer(message)) waiting.get(message.id)?.(message);
  });
  return () =>
    new Promise((resolve, reject) => {
      asked += 1;
      const id = asked;
      const end = (text: string | undefined) => {
        clearTimeout(timer);
        waiting.delete(id);
        if (text === undefined)
          reject(new GatewayError('not_ready', 'Not all workers have told their metrics in time.'));
        else resolve(text);
      };
      const timer = setTimeout(() => end(undefined), patienceMs);
      waiting.set(id, ({ text }) => end(text));
      process.send?.({ type: asks, id });
    });
}

function isAsking(message: unknown): message is { readonly id: number } {
  return isObject(message) && message.type === asks && typeof message.id === 'number';
}

function isAnswer(message: unknown): message is Answer {
  return isObject(message) && message.type === answers;
}

function isObject(message: unknown): message is Readonly<Record<string, unknown>> {
  return typeof message === 'object' && message !== null;
}
