import type { GuardrailReport, Metrics } from 'portcullis/sdk';
import { FewValues } from './few-values.ts';

const phases = { beforeRequest: 'before_request', afterRequest: 'after_request' } as const;

/** What guardrails said, by guardrail; and which checks could not say anything. */
export function guardrailMetrics(metrics: Metrics): (reports: readonly GuardrailReport[]) => void {
  const verdicts = metrics.counter('portcullis_guardrail_verdicts_total', 'Verdicts of guardrails', [
    'guardrail',
    'phase',
    'verdict',
  ]);
  const errors = metrics.counter('portcullis_guardrail_check_errors_total', 'Checks that gave no verdict', [
    'check',
    'error',
  ]);
  const names = new FewValues();
  return (reports) => {
    for (const report of reports) {
      verdicts.add([names.of(report.id, true), phases[report.phase], verdictOf(report)]);
      for (const { id, error } of report.checks) if (error !== undefined) errors.add([id, error]);
    }
  };
}

function verdictOf({ shadow, denied, transformed, verdict }: GuardrailReport): string {
  if (shadow) return verdict ? 'shadow_passed' : 'shadow_failed';
  if (denied) return 'denied';
  if (transformed) return 'transformed';
  return verdict ? 'passed' : 'failed';
}
