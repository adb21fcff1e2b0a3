import type { Json } from 'portcullis/sdk';
import { configFault } from '../fault.ts';
import type { Budget, CompileBudget } from './budget.ts';
import { compilePattern } from './pattern.ts';

export type Test = (value: Json | undefined, budget: Budget) => boolean;
type Compile = (operand: Json, param: string, budget: CompileBudget) => Test;

/** What may stand behind a field; each checks its operand once and gives a test of the request's value. */
export const operators: Readonly<Record<string, Compile>> = {
  $eq: equals,
  $ne: (operand, param) => {
    const expected = scalar(operand, param);
    return (value) => value !== expected;
  },
  $gt: comparison((value, bound) => value > bound),
  $gte: comparison((value, bound) => value >= bound),
  $lt: comparison((value, bound) => value < bound),
  $lte: comparison((value, bound) => value <= bound),
  $in: (operand, param) => {
    const members = scalars(operand, param);
    return (value) => members.has(value);
  },
  $nin: (operand, param) => {
    const members = scalars(operand, param);
    return (value) => !members.has(value);
  },
  $regex: (operand, param, budget) => {
    if (typeof operand !== 'string') throw configFault(param, `${last(param)} must be a string.`);
    const pattern = compilePattern(operand, param, budget);
    return (value, work) => {
      if (value === undefined || value === null || typeof value === 'object') return false;
      return pattern(String(value), work);
    };
  },
};

/** Strict equality: the same type and the same value. */
export function equals(operand: Json, param: string): Test {
  const expected = scalar(operand, param);
  return (value) => value === expected;
}

function comparison(holds: (value: number, bound: number) => boolean): Compile {
  return (operand, param) => {
    const bound = typeof operand === 'string' && operand.trim() !== '' ? Number(operand) : operand;
    if (typeof bound !== 'number' || !Number.isFinite(bound))
      throw configFault(param, `${last(param)} must be a number.`);
    return (value) => {
      // Metadata holds strings only, so numbers arrive as text; NaN compares as false.
      const number = typeof value === 'string' ? Number.parseFloat(value) : value;
      return typeof number === 'number' && holds(number, bound);
    };
  };
}

function scalar(operand: Json, param: string): Json {
  if (typeof operand !== 'object' || operand === null) return operand;
  throw configFault(
    param,
    `${last(param)} must be a string, a number, a boolean or null; for a list of values use $in.`,
  );
}

function scalars(operand: Json, param: string): ReadonlySet<unknown> {
  const fit =
    Array.isArray(operand) && operand.length > 0 && operand.every((item) => typeof item !== 'object' || item === null);
  if (!fit) throw configFault(param, `${last(param)} must be a list of at least one string, number, boolean or null.`);
  return new Set<unknown>(operand as readonly Json[]);
}

function last(param: string): string {
  return param.slice(param.lastIndexOf('.') + 1);
}
