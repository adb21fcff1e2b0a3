import { type Dispatcher, Pool } from 'undici';
import type { Load, LoadResult } from './load.ts';
import { quantile } from './quantile.ts';
import { answerText, chatPath, chunksPerStream, requestBody, streamEnd } from './traffic.ts';

interface Answered {
  readonly ok: boolean;
  readonly firstByteMs: number;
  readonly totalMs: number;
}

const replyLimitMs = 20_000;

/** The bench's own load: it also reads every answer and counts one that is not whole as failed. */
export async function generate(load: Load): Promise<LoadResult & { readonly firstByteP50Ms: number }> {
  const { target, connections, bound } = load;
  const pool = new Pool(target.origin, {
    connections,
    pipelining: 1,
    headersTimeout: replyLimitMs,
    bodyTimeout: replyLimitMs,
  });
  const answers: Answered[] = [];
  const startedMs = performance.now();
  let left = 'requests' in bound ? bound.requests : Number.POSITIVE_INFINITY;
  const endMs = 'seconds' in bound ? startedMs + bound.seconds * 1000 : Number.POSITIVE_INFINITY;
  const client = async () => {
    while (left > 0 && performance.now() < endMs) {
      left -= 1;
      answers.push(await send(pool, load));
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - startedMs) / 1000;
  await pool.destroy();
  const good = answers.filter(({ ok }) => ok);
  const totals = good.map(({ totalMs }) => totalMs);
  return {
    completed: answers.length,
    failed: answers.length - good.length,
    seconds,
    p50Ms: quantile(totals, 0.5),
    p99Ms: quantile(totals, 0.99),
    firstByteP50Ms: quantile(
      good.map(({ firstByteMs }) => firstByteMs),
      0.5,
    ),
  };
}

function send(pool: Pool, { target, scenario, asks }: Load): Promise<Answered> {
  return new Promise((resolve) => {
    const startMs = performance.now();
    let firstByteMs = 0;
    let status = 0;
    const parts: Buffer[] = [];
    const settle = (ok: boolean) => resolve({ ok, firstByteMs, totalMs: performance.now() - startMs });
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, code) {
        status = code;
      },
      onResponseData(_controller, part) {
        if (parts.length === 0) firstByteMs = performance.now() - startMs;
        parts.push(part);
      },
      onResponseEnd: () => settle(status === 200 && isWhole(scenario, Buffer.concat(parts).toString())),
      onResponseError: () => settle(false),
    };
    const headers = { ...target.headers, 'content-type': 'application/json' };
    const { path, body } = asks ?? { path: chatPath, body: requestBody(scenario) };
    pool.dispatch({ path, method: 'POST', headers, body }, handler);
  });
}

const answerContent = contentOf(answerText());

// Compared by content: a proxy may write the JSON of an answer anew.
function isWhole(scenario: Load['scenario'], text: string): boolean {
  if (scenario === 'json') return contentOf(text) === answerContent;
  return text.endsWith(streamEnd) && text.split('data: {').length === chunksPerStream + 1;
}

function contentOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { choices?: { message: { content: string } }[] }).choices?.[0]?.message.content;
  } catch {
    return undefined;
  }
}
