import { type CheckPhase, checkPhases, type TargetContext } from 'portcullis/sdk';
import type { ActiveHooks } from './definition/active.ts';
import type { Hook, HookCheck } from './definition/hook.ts';
import { generationOf } from './reply/denial.ts';
import { isClosed, isReadable } from './scan/read.ts';

/** What runs on a target, in which way, and what cannot look at what the route carries. */
export async function explained(active: ActiveHooks, target: TargetContext): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const phase of checkPhases) {
    const { hooks } = await active.of(target, phase);
    for (const hook of hooks) {
      const checks = hook.checks.map(({ ready }) => ready.summary.id).join(', ') || 'no check';
      lines.push(`${phase}: ${hook.type} ${hook.id} runs ${checks}${ways(hook)}`);
      if (phase === 'afterRequest' && isLateOnStreams(hook, target))
        lines.push(`${phase}: ${hook.type} ${hook.id}: on streams it only reports: stream_mode is after`);
      for (const check of hook.checks) {
        const why = unable(check, target, phase);
        if (why !== undefined) lines.push(`${phase}: ${check.ready.summary.id} ${why}`);
      }
    }
  }
  return lines;
}

function ways({ deny, async, sequential, shadow, stream }: Hook): string {
  const words = [
    deny ? 'denies' : '',
    async ? 'after the reply' : '',
    sequential ? 'in sequence' : '',
    shadow ? 'in shadow' : '',
    stream.mode === 'window' ? 'in windows of streams' : '',
  ].filter((word) => word !== '');
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** It would deny or change a reply, and a stream has gone out by the time that it looks. */
function isLateOnStreams({ checks, deny, async, shadow, stream }: Hook, { request }: TargetContext): boolean {
  if (async || shadow || stream.mode !== 'after' || generationOf(request.dialect) === undefined) return false;
  return deny || checks.some(({ ready }) => ready.summary.edits !== undefined);
}

function unable({ ready, onError }: HookCheck, { request }: TargetContext, phase: CheckPhase): string | undefined {
  const { endpoints, scans } = ready.summary;
  const counts = onError === 'deny' ? 'denied' : 'passed';
  if (endpoints !== undefined && !endpoints.includes(request.endpoint))
    return `does not run on ${request.endpoint}: the request counts as ${counts}`;
  const part = phase === 'beforeRequest' ? 'request' : 'reply';
  if (!scans || isReadable(request.endpoint, part, request.dialect)) return undefined;
  return isClosed(request.endpoint, part, request.dialect)
    ? `cannot read what passes on this route: the request counts as ${counts}`
    : 'has nothing to look at on this route';
}
