import { Pool } from 'undici';
import { quantile } from './quantile.ts';
import type { RunningRow } from './row.ts';
import { chatPath, requestBody } from './traffic.ts';

/** What one stretch of steady load has shown. */
export interface Stretch {
  readonly sent: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const tickMs = 10;
const connections = 64;

/** Sends so many requests a second, whatever the answers do, and tells of each stretch. */
export class SteadyLoad {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body = requestBody('json');
  readonly #timer: NodeJS.Timeout;
  #times: number[] = [];
  #sent = 0;
  #failed = 0;
  #due = 0;
  #last = performance.now();

  constructor(target: RunningRow, rate: number) {
    this.#pool = new Pool(target.origin, { connections, pipelining: 1, headersTimeout: 30_000, bodyTimeout: 30_000 });
    this.#headers = { ...target.headers, 'content-type': 'application/json' };
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#due += ((now - this.#last) / 1000) * rate;
      this.#last = now;
      for (; this.#due >= 1; this.#due -= 1) void this.#send();
    }, tickMs);
  }

  /** What has happened since it was last asked. */
  take(): Stretch {
    const stretch = {
      sent: this.#sent,
      failed: this.#failed,
      p50Ms: quantile(this.#times, 0.5),
      p99Ms: quantile(this.#times, 0.99),
    };
    this.#times = [];
    this.#sent = 0;
    this.#failed = 0;
    return stretch;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pool.close();
  }

  async #send(): Promise<void> {
    const since = performance.now();
    this.#sent += 1;
    try {
      const { statusCode, body } = await this.#pool.request({
        path: chatPath,
        method: 'POST',
        headers: this.#headers,
        body: this.#body,
      });
      await body.arrayBuffer();
      if (statusCode !== 200) this.#failed += 1;
      this.#times.push(performance.now() - since);
    } catch {
      this.#failed += 1;
    }
  }
}
