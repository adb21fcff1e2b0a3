import { type JsonObject, parseJson } from 'portcullis/sdk';
import type { HeldRuntime } from '../pipeline/own-request.ts';
import type { FileKind } from './batch.ts';
import type { BatchLine } from './check-lines.ts';
import { lineRouteOf } from './line-routes.ts';
import { askAs, type BatchCaller, wholeOf } from './own-exchange.ts';
import type { Pace } from './pace.ts';

/** What the lines of one batch have in common. */
export interface LineRun {
  readonly endpoint: string;
  readonly caller: BatchCaller;
  readonly pace: Pace;
  readonly acquire: () => HeldRuntime;
  readonly newId: () => string;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Nothing more is begun. */
  readonly ending: AbortSignal;
  /** What runs is given up. */
  readonly givenUp: AbortSignal;
}

/** What a line has come to, and the file that it belongs into. */
export interface LineResult {
  readonly kind: FileKind;
  readonly line: JsonObject;
}

const mostRetries = 3;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** Runs a line, again where another try may help. @returns undefined: the batch has ended before there was an answer */
export async function runLine(run: LineRun, line: BatchLine): Promise<LineResult | undefined> {
  try {
    for (let retries = 0; ; retries += 1) {
      await run.pace.turn(run.ending);
      const { result, status, retryAfterMs } = await attempted(run, line);
      if (run.givenUp.aborted) return undefined;
      if (retries >= mostRetries || !mayRetry(status) || run.ending.aborted) return result;
      await pause(run, retries, retryAfterMs);
      // What is known is better than nothing.
      if (run.ending.aborted) return result;
    }
  } catch (error) {
    if (run.ending.aborted) return undefined;
    throw error;
  }
}

function mayRetry(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Twice as long each time, and not all lines at once. */
async function pause({ sleep, random, ending }: LineRun, retries: number, retryAfterMs = 0): Promise<void> {
  const standard = firstPauseMs * 2 ** retries * (0.75 + random() / 2);
  await sleep(Math.min(Math.max(standard, retryAfterMs), longestPauseMs), ending).catch((error: unknown) => {
    if (!ending.aborted) throw error;
  });
}

interface Attempt {
  readonly result: LineResult;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
}

async function attempted({ endpoint, caller, acquire, newId, givenUp }: LineRun, line: BatchLine): Promise<Attempt> {
  const route = lineRouteOf(endpoint);
  if (route === undefined) throw new TypeError(`There is no route of lines for ${endpoint}.`);
  const { path, dialect } = route;
  const held = acquire();
  const { maxReplyBytes } = held.runtime.config.server;
  const request = { id: newId(), method: 'POST', path, endpoint: route.endpoint, dialect, params: {} };
  const reply = await askAs(held, caller, request, line.body, givenUp);
  const bytes = await wholeOf(reply, maxReplyBytes);
  const { status, id, retryAfterMs } = reply;
  const json = bytes === undefined ? undefined : parseJson(bytes.toString('utf8'));
  const failed = status >= 400 || json === undefined;
  const answer = {
    id: `batch_req_gw_${newId().replaceAll('-', '')}`,
    custom_id: line.customId,
    response: { status_code: status, request_id: id, body: json ?? null },
    error: json === undefined && status < 400 ? unreadable : null,
  };
  return { result: { kind: failed ? 'error' : 'output', line: answer }, status, retryAfterMs };
}

const unreadable = { code: 'invalid_reply', message: 'The reply is no JSON, or is longer than is accepted.' };
