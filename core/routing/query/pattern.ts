import { RE2JS } from 're2js';
import { configFault } from '../fault.ts';
import { type Budget, type CompileBudget, queryLimits } from './budget.ts';

export type Pattern = (text: string, budget: Budget) => boolean;

/** Pattern length times the sum of its repeat counts: known before anything is built, so a bomb is never built. */
const maxExpansion = 10_000;

/**
 * A pattern in RE2 syntax (no look-around, no back-references), matched anywhere in the text, in linear time.
 * @throws GatewayError when it is too long, too large or not a pattern
 */
export function compilePattern(source: string, param: string, budget: CompileBudget): Pattern {
  if (source.length > queryLimits.patternLength) {
    throw configFault(param, `$regex may have ${queryLimits.patternLength} characters at most.`);
  }
  if (source.length * repeats(source) > maxExpansion)
    throw configFault(param, '$regex is too large: lower the counts of its {n,m} repeats.');
  const compiled = compiledPattern(source, param);
  const size = compiled.programSize();
  budget.programSize.spend(size, param);
  return (text, work) => {
    work.spend(text.length * size, param);
    return compiled.test(text);
  };
}

function compiledPattern(source: string, param: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (cause) {
    throw configFault(
      param,
      '$regex is not a valid pattern. Give RE2 syntax: no look-around, no back-references.',
      cause,
    );
  }
}

function repeats(source: string): number {
  let sum = 1;
  for (const [, least, most] of source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) sum += Number(most || least);
  return sum;
}
