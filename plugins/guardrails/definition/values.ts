import { asObject, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';

export function fault(param: string, why: string): GatewayError {
  return new GatewayError('invalid_config', `${param} ${why}.`, { param });
}

export function readFlag(value: Json | undefined, standard: boolean, param: string): boolean {
  if (value === undefined || value === null) return standard;
  if (typeof value === 'boolean') return value;
  throw fault(param, 'must be true or false');
}

export function readChoice<T extends string>(
  value: Json | undefined,
  choices: readonly T[],
  param: string,
): T | undefined {
  if (value === undefined || value === null) return undefined;
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  throw fault(param, `must be one of ${choices.join(', ')}`);
}

export function readNumber(
  value: Json | undefined,
  standard: number,
  [least, most]: readonly [number, number],
  param: string,
): number {
  if (value === undefined || value === null) return standard;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw fault(param, `must be a number from ${least} to ${most}`);
}

export function readInteger(
  value: Json | undefined,
  standard: number,
  bounds: readonly [number, number],
  param: string,
): number {
  const number = readNumber(value, standard, bounds, param);
  if (Number.isInteger(number)) return number;
  throw fault(param, `must be an integer from ${bounds[0]} to ${bounds[1]}`);
}

export function readText(value: Json | undefined, maxLength: number, param: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.length >= 1 && value.length <= maxLength) return value;
  throw fault(param, `must be a text of 1 to ${maxLength} characters`);
}

export function readObject(value: Json | undefined, param: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const object = asObject(value);
  if (object !== undefined) return object;
  throw fault(param, 'must be an object');
}

export function refuseUnknown(object: JsonObject, known: ReadonlySet<string>, param: string): void {
  const unknown = Object.keys(object).find((key) => !known.has(key));
  if (unknown === undefined) return;
  throw fault(`${param}.${unknown.slice(0, 100)}`, `is not known; accepted are ${[...known].join(', ')}`);
}
