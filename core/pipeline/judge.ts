import type { MaybePromise, Outcome, TargetContext } from 'portcullis/sdk';
import { WebSocket } from 'ws';
import type { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';

/** An outcome that nobody gets must not hold a connection. */
export function abandon({ body, session }: Outcome): void {
  if (body.kind === 'stream') body.stream.abort();
  if (session instanceof WebSocket) session.terminate();
}

/** A plugin that answers something else in its place has refused the session. */
function sameSession(final: Outcome, outcome: Outcome): Outcome {
  if (outcome.session !== undefined && final.session !== outcome.session) abandon(outcome);
  return final;
}

/** What the plugins behind the call make of an outcome. */
export function judged(
  { pipeline }: Runtime,
  { clock }: Exchange,
  target: TargetContext,
  outcome: Outcome,
): MaybePromise<Outcome> {
  const since = performance.now();
  try {
    const final = pipeline.afterRequest(target, outcome);
    if (final instanceof Promise) return judgedLater(final, outcome, clock, since);
    clock.spend('guardrailsAfter', since);
    return sameSession(final, outcome);
  } catch (error) {
    abandon(outcome);
    throw error;
  }
}

async function judgedLater(
  judging: Promise<Outcome>,
  outcome: Outcome,
  clock: Exchange['clock'],
  since: number,
): Promise<Outcome> {
  try {
    return sameSession(await judging, outcome);
  } catch (error) {
    abandon(outcome);
    throw error;
  } finally {
    clock.spend('guardrailsAfter', since);
  }
}
