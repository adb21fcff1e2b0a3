import { asObject, type JsonObject } from 'portcullis/sdk';

/** Why a provider would answer with an error of the 400s. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly param?: string;
}

/** Says what a provider finds wrong with a request; undefined when it would serve it. */
export type Refuse = (body: JsonObject, headers: NodeJS.Dict<string | string[]>) => Refusal | undefined;

export function invalid(message: string, param?: string): Refusal {
  return { status: 400, message, ...(param === undefined ? {} : { param }) };
}

export function unauthorized(message: string): Refusal {
  return { status: 401, message };
}

/** The first refusal among the checks, which run one after the other. */
export function firstOf(...checks: readonly (() => Refusal | undefined)[]): Refusal | undefined {
  for (const check of checks) {
    const refusal = check();
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** A field that the provider's reference does not name. */
export function unknownField(body: JsonObject, known: ReadonlySet<string>): string | undefined {
  return Object.keys(body).find((name) => !known.has(name));
}

export function isJsonObjectText(text: unknown): boolean {
  try {
    return typeof text === 'string' && asObject(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}

export function bearerOf(headers: NodeJS.Dict<string | string[]>): string | undefined {
  return /^Bearer (\S+)$/.exec(String(headers.authorization ?? ''))?.[1];
}
