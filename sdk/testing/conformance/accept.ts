import { readyCheck } from '../check-run.ts';
import { type ConformanceResult, resultOf, type Subject } from './report.ts';
import { hostOf } from './trial.ts';
import { watchedHost } from './usage.ts';

const acceptMs = 10_000;

/** Whether a guardrail with the example parameters would be saved. */
export async function acceptResults(subject: Subject): Promise<readonly ConformanceResult[]> {
  const { name, check, examples, usage } = subject;
  if (check.accept === undefined) return [];
  const faults: string[] = [];
  for (const example of examples) {
    const host = hostOf(subject, example, AbortSignal.timeout(acceptMs));
    try {
      await readyCheck(check, example.parameters).accept(watchedHost(host, usage));
    } catch (error) {
      faults.push(`${example.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return [resultOf(name, 'accepts its example parameters when they are saved', faults)];
}
