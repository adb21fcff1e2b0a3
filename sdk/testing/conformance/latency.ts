import { createCheckHost } from '../check-host.ts';
import { checkInput, visibleInput } from '../check-input.ts';
import { readyCheck } from '../check-run.ts';
import { usualText } from './corpus.ts';
import { type ConformanceResult, resultOf, type Subject } from './report.ts';

const standardBudgetMs = 5;
const runs = 50;

/** The median of warm runs on 10 KB of text, for checks that ask nobody. Machines are noisy: three tries. */
export async function latencyResults(subject: Subject): Promise<readonly ConformanceResult[]> {
  const { name, check, usage, options } = subject;
  const { budgetMs = standardBudgetMs } = options;
  if (check.remote !== undefined || usage.places.size > 0 || usage.models || usage.sandbox) return [];
  let median = 0;
  for (let tries = 0; tries < 3; tries += 1) {
    median = await medianMs(subject);
    if (median <= budgetMs) break;
  }
  const figure = `${median.toFixed(3)} ms`;
  const faults =
    median <= budgetMs
      ? []
      : [`The median of ${runs} runs was ${figure}, three times in a row; allowed ${budgetMs} ms.`];
  return [resultOf(name, `takes at most ${budgetMs} ms for 10 KB of text`, faults, figure)];
}

async function medianMs({ unit, check, examples: [{ parameters, fixture }] }: Subject): Promise<number> {
  const ready = readyCheck(check, parameters);
  const input = visibleInput(checkInput({ ...fixture?.input, phase: check.phases[0], text: usualText }), unit.manifest);
  const host = createCheckHost({
    manifest: unit.manifest,
    credentials: fixture?.credentials ?? {},
    headers: fixture?.input?.headers ?? {},
  });
  const taken: number[] = [];
  for (let run = -10; run < runs; run += 1) {
    const from = performance.now();
    try {
      await ready.run(input, host);
    } catch {
      // An error takes its time as well; whether it may come is asked elsewhere.
    }
    if (run >= 0) taken.push(performance.now() - from);
  }
  return taken.toSorted((a, b) => a - b)[runs / 2] ?? 0;
}
