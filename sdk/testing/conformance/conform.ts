import { acceptResults } from './accept.ts';
import { examplesOf, readFixtures } from './examples.ts';
import { inputResults } from './inputs.ts';
import { latencyResults } from './latency.ts';
import { declarationResults, manifestResults } from './manifest.ts';
import { permissionResults } from './permissions.ts';
import type { ConformanceOptions, ConformanceReport, ConformanceResult, GuardrailUnit, Subject } from './report.ts';
import { newUsage, type Usage } from './usage.ts';
import { vendorResults } from './vendors.ts';

/**
 * Looks at a guardrail from all sides: manifest, schemas, permissions, and each check with inputs of every kind, vendors
 * that fail, and the clock. Never throws for what a unit does; opens connections to 127.0.0.1 alone.
 */
export async function conform(unit: GuardrailUnit, options: ConformanceOptions = {}): Promise<ConformanceReport> {
  const { fixtures, results: reading } = readFixtures(unit);
  const results: ConformanceResult[] = [...manifestResults(unit), ...reading];
  const usages: Usage[] = [];
  for (const [name, check] of Object.entries(unit.definition.checks)) {
    const { examples, results: examining } = examplesOf(name, check, fixtures);
    results.push(...declarationResults(name, unit), ...examining);
    const [first, ...others] = examples;
    if (first === undefined) continue;
    const subject: Subject = { unit, name, check, options, examples: [first, ...others], usage: newUsage() };
    usages.push(subject.usage);
    results.push(...(await acceptResults(subject)), ...(await inputResults(subject)));
    // It has failed by then, and nothing would stop it from here on.
    if (subject.usage.hung) continue;
    results.push(...(await vendorResults(subject, fixtures)), ...(await latencyResults(subject)));
  }
  results.push(...permissionResults(unit, usages));
  const { name, version } = unit.manifest;
  return { unit: name, version, pass: results.every(({ pass }) => pass), results };
}
