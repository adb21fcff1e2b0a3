import type { CheckPhase } from 'portcullis/sdk';
import {
  asNumber,
  asObject,
  type Feedback,
  type GuardrailReport,
  type RequestNote,
  type Span,
  type TargetContext,
} from 'portcullis/sdk';
import { feedbackOf } from '../reply/results.ts';
import { type CheckRun, denies, type HookRun, passes, transforms, type WindowCost } from './runs.ts';

/** What the log, the feedback and the traces get of runs; no text of the request is in it. */
export function noteOf(
  target: TargetContext,
  phase: CheckPhase,
  runs: readonly HookRun[],
  { traces }: { readonly traces: boolean },
): RequestNote {
  return {
    guardrails: runs.map((run) => reportOf(target, phase, run)),
    feedback: runs.flatMap((run) => feedback(target, run)),
    ...(traces ? { spans: runs.map((run) => spanOf(phase, run)) } : {}),
  };
}

function reportOf(target: TargetContext, phase: CheckPhase, run: HookRun): GuardrailReport {
  const { hook, verdict, transformed, durationMs, windows } = run;
  const report = {
    id: hook.id,
    phase,
    verdict,
    denied: denies(run),
    transformed,
    async: hook.async,
    shadow: hook.shadow,
    durationMs,
    target: target.path,
    checks: run.checks.map(checkReportOf),
  };
  if (hook.versionId === undefined && windows === undefined) return report;
  return {
    ...report,
    ...(hook.versionId === undefined ? {} : { versionId: hook.versionId }),
    ...(windows === undefined ? {} : { stream: costOf(windows) }),
  };
}

function checkReportOf(run: CheckRun): GuardrailReport['checks'][number] {
  const { id, unit, version } = run.check.ready.summary;
  const { error, durationMs } = run;
  const report = { id, unit: `${unit}@${version}`, verdict: passes(run), transformed: transforms(run), durationMs };
  return error === undefined ? report : { ...report, error: error.code };
}

function costOf({ looks, addedMs }: WindowCost): NonNullable<GuardrailReport['stream']> {
  return { looks, ...(addedMs === undefined ? {} : { addedMs }) };
}

function feedback(target: TargetContext, run: HookRun): readonly Feedback[] {
  const given = feedbackOf(run);
  if (given === null) return [];
  const metadata = asObject(given.metadata) as Readonly<Record<string, string>>;
  const { versionId } = run.hook;
  return [
    {
      traceId: target.request.traceId,
      value: asNumber(given.value) ?? 0,
      weight: asNumber(given.weight) ?? 1,
      metadata: {
        ...metadata,
        guardrailId: run.hook.id,
        ...(versionId === undefined ? {} : { guardrailVersionId: versionId }),
      },
    },
  ];
}

/** The names of the spans and attributes are those that dashboards of the field look for. */
function spanOf(phase: CheckPhase, run: HookRun): Span {
  const { hook, verdict, startedAt, durationMs } = run;
  return {
    name: `portkey.guardrail.${hook.id}`,
    startedAt,
    durationMs,
    attributes: {
      'portkey.guardrail.id': hook.id,
      'portkey.guardrail.phase': phase === 'beforeRequest' ? 'input' : 'output',
      'portkey.guardrail.verdict': verdict,
      'portkey.guardrail.action': actionOf(run),
      'portkey.guardrail.deny': hook.deny,
      'portkey.guardrail.async': hook.async,
    },
  };
}

function actionOf(run: HookRun): string {
  if (run.hook.shadow) return 'shadow';
  if (denies(run)) return 'denied';
  if (run.transformed) return 'transformed';
  return run.verdict ? 'passed' : 'flagged';
}
