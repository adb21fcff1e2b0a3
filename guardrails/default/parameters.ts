import { GatewayError, schema } from 'portcullis/sdk';

/** Of every object of parameters: other keys are refused. */
export const strict = { additionalProperties: false } as const;

export const notParameter = schema.Boolean({ default: false, description: 'Turns the verdict round.' });

interface ListBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
}

export function strings(description: string, { minItems = 1, maxItems = 1000, maxLength = 500 }: ListBounds = {}) {
  return schema.Array(schema.String({ minLength: 1, maxLength }), { minItems, maxItems, description });
}

/** One of the names; the first is the default. */
export function choice<const Names extends readonly [string, ...string[]]>(names: Names, description: string) {
  return schema.Unsafe<Names[number]>({ type: 'string', enum: [...names], default: names[0], description });
}

/** Parameters that fit their schema and yet make no sense. */
export function unusable(param: string, message: string): GatewayError {
  return new GatewayError('invalid_config', message, { param });
}

/** @throws GatewayError naming the first entry that stands in both lists */
export function refuseSharedEntry(allowed: readonly unknown[], blocked: readonly unknown[], param: string): void {
  const shared = allowed.find((entry) => blocked.includes(entry));
  if (shared !== undefined)
    throw unusable(param, `${param} holds ${JSON.stringify(shared)}, which is in the list of what is allowed too.`);
}
