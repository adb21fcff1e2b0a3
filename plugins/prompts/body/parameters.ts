import { Ajv2020 } from 'ajv/dist/2020.js';
import { type JsonObject, omit, requestSchemas } from 'portcullis/sdk';

/** The template's own, whatever the stored parameters say. */
const filledIn = ['messages', 'prompt'];

const fields = [requestSchemas.chat, requestSchemas.completions].map(
  (schema) => (schema as unknown as { readonly properties: Readonly<Record<string, object>> }).properties,
);
const checker = new Ajv2020({ strict: false, meta: false, validateSchema: false, addUsedSchema: false });
const known = new Map<string, boolean>();

/** Whether a request may have an empty text in the field. */
function takesEmptyText(name: string): boolean {
  if (filledIn.includes(name)) return false;
  const schemas = fields.flatMap((properties) => (Object.hasOwn(properties, name) ? [properties[name] ?? {}] : []));
  if (schemas.length === 0) return false;
  const takes = known.get(name) ?? schemas.some((schema) => checker.validate(schema, ''));
  known.set(name, takes);
  return takes;
}

/**
 * Stored parameters without the variables of the template, which clients list among them with the value "". A request
 * field that takes an empty text (`user`, `suffix`, `stop`) stays; one that takes none (`n`) can only be the variable.
 */
export function withoutVariables(parameters: JsonObject, variables: ReadonlySet<string>): JsonObject {
  const listed = Object.keys(parameters).filter(
    (name) => parameters[name] === '' && variables.has(name) && !takesEmptyText(name),
  );
  return omit(parameters, new Set([...filledIn, ...listed]));
}
