import { asObject, type Json } from 'portcullis/sdk';
import { clip, configFault } from '../fault.ts';
import { type Budget, type CompileBudget, queryLimits } from './budget.ts';
import { compileFieldPath, type QueryFacts, readField } from './field-path.ts';
import { equals, operators, type Test } from './operators.ts';

/** A compiled query. @throws GatewayError when its patterns cost more than the budget */
export type Query = (facts: QueryFacts, budget: Budget) => boolean;

/**
 * Compiles a query object: every key of it must hold, `$and` and `$or` like any other key, and of a field every operator.
 * @throws GatewayError naming the operator, field or operand that is at fault
 */
export function compileQuery(query: Json, param: string, budget: CompileBudget, depth = 0): Query {
  const object = asObject(query);
  const keys = Object.entries(object ?? {});
  if (keys.length === 0) {
    throw configFault(
      param,
      `${clip(param, 200)} must be an object with at least one key, such as { "metadata.tier": "gold" }.`,
    );
  }
  if (depth > queryLimits.depth) throw configFault(param, `$and and $or may nest ${queryLimits.depth} levels at most.`);
  return all(keys.map(([key, operand]) => compileKey(key, operand, `${param}.${clip(key)}`, budget, depth)));
}

function compileKey(key: string, operand: Json, param: string, budget: CompileBudget, depth: number): Query {
  budget.terms.spend(1, param);
  if (key === '$and') return all(members(key, operand, param, budget, depth));
  if (key === '$or') return any(members(key, operand, param, budget, depth));
  if (key.startsWith('$')) throw unsupported(key, param, '$and, $or or a field');
  const path = compileFieldPath(key, param);
  const tests = compileTests(operand, param, budget);
  return (facts, work) => {
    const value = readField(path, facts);
    return tests.every((test) => test(value, work));
  };
}

function compileTests(operand: Json, param: string, budget: CompileBudget): readonly Test[] {
  const object = asObject(operand);
  if (object === undefined) return [equals(operand, param)];
  const entries = Object.entries(object);
  if (entries.length === 0)
    throw configFault(param, `${clip(param, 200)} holds no operator. Give a value, or ${accepted}.`);
  return entries.map(([name, value]) => {
    budget.terms.spend(1, param);
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (operator === undefined) throw unsupported(name, param, accepted);
    return operator(value, `${param}.${name}`, budget);
  });
}

function members(key: string, operand: Json, param: string, budget: CompileBudget, depth: number): readonly Query[] {
  if (!Array.isArray(operand) || operand.length === 0)
    throw configFault(param, `${key} must be a list of at least one query.`);
  return operand.map((query: Json, index) => compileQuery(query, `${param}[${index}]`, budget, depth + 1));
}

const accepted = Object.keys(operators).join(', ');

function unsupported(name: string, param: string, instead: string) {
  return configFault(param, `Unsupported operator used in the query router: ${clip(name)}. Use ${instead}.`);
}

function all(queries: readonly Query[]): Query {
  return (facts, budget) => queries.every((query) => query(facts, budget));
}

function any(queries: readonly Query[]): Query {
  return (facts, budget) => queries.some((query) => query(facts, budget));
}
