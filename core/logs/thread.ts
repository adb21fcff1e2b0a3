import { Worker } from 'node:worker_threads';
import { type ErrorCode, GatewayError, type JsonObject, type Log } from 'portcullis/sdk';
import { StoreTimeout } from '../store/failures.ts';
import { threadEnvironment } from '../thread-environment.ts';
import type { Answer, ThreadData, ThreadError } from './messages.ts';

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** A question that needs more ends its thread, and not the gateway; what is young goes soon, and needs little room. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };
const program = new URL('./thread-program.ts', import.meta.url);

/** A thread of the logs, started with its first call, and again with the first one after it died. */
export class LogThread {
  readonly #data: ThreadData;
  readonly #log: Log;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #nextId = 1;
  #closed = false;

  constructor(data: ThreadData, log: Log) {
    this.#data = data;
    this.#log = log;
  }

  /** @throws Error when the thread has failed, has died, or has not answered within the time; what was asked may still happen */
  call<T>(method: string, args: readonly unknown[], timeoutMs: number): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('The logs are closed.'));
    const worker = this.#running();
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new StoreTimeout(`The log store did not answer within ${timeoutMs} ms.`));
      }, timeoutMs);
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject, timer });
      worker.postMessage({ id, method, args });
    });
  }

  /** Lets it finish what it does, within the time. */
  async close(timeoutMs: number): Promise<void> {
    const worker = this.#worker;
    if (this.#closed || worker === undefined) {
      this.#closed = true;
      return;
    }
    try {
      await this.call('close', [], timeoutMs);
    } catch (error) {
      this.#log.warn('log_thread_close', { role: this.#data.role, message: (error as Error).message });
    }
    this.#closed = true;
    await worker.terminate();
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(program, {
      workerData: this.#data,
      name: `logs-${this.#data.role}`,
      env: threadEnvironment(),
      resourceLimits,
    });
    // A gateway that is done does not stay for its logs: who owns them closes them.
    worker.unref();
    worker.on('message', (answer: Answer) => this.#receive(answer));
    worker.on('error', (error) => this.#died(worker, (error as Error).message));
    worker.on('exit', () => this.#died(worker, 'it ended'));
    this.#worker = worker;
    return worker;
  }

  #receive(answer: Answer): void {
    if ('line' in answer) {
      const { level, event, fields } = answer.line;
      this.#log[level](event, fields as JsonObject);
      return;
    }
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    this.#pending.delete(answer.id);
    clearTimeout(pending.timer);
    if ('error' in answer) pending.reject(errorOf(answer.error));
    else pending.resolve(answer.result);
  }

  #died(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    if (!this.#closed) this.#log.error('log_thread_died', { role: this.#data.role, message: why });
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new Error(`The thread of the log store died: ${why}.`));
    }
    this.#pending.clear();
  }
}

function errorOf({ message, code, param, isAway }: ThreadError): Error {
  if (code === undefined) return isAway === true ? new StoreTimeout(message) : new Error(message);
  return new GatewayError(code as ErrorCode, message, param === undefined ? {} : { param });
}
