import { type JsonObject, omit, requestSchemas } from 'portcullis/sdk';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';

const fields = [requestSchemas.chat, requestSchemas.completions].flatMap((schema) =>
  Object.entries((schema as unknown as { properties: Record<string, TSchema> }).properties),
);

/** The template's own, whatever the stored parameters say. */
const filledIn = ['messages', 'prompt'];

const takesEmptyText = new Set(
  fields.filter(([name, schema]) => !filledIn.includes(name) && Value.Check(schema, '')).map(([name]) => name),
);

/**
 * Stored parameters without the variables of the template, which clients list among them with the value "". A request
 * field that takes an empty text (`user`, `suffix`, `stop`) stays; one that takes none (`n`) can only be the variable.
 */
export function withoutVariables(parameters: JsonObject, variables: ReadonlySet<string>): JsonObject {
  const listed = Object.keys(parameters).filter(
    (name) => parameters[name] === '' && variables.has(name) && !takesEmptyText.has(name),
  );
  return omit(parameters, new Set([...filledIn, ...listed]));
}
