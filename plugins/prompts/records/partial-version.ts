import { asString, field, type Json, nullable, type Operation, type Scope } from 'portcullis/sdk';
import { readPartial } from './read-template.ts';
import type { VersionText } from './versions.ts';

export const partialString = field.text({ min: 1, max: 256_000, description: 'The template.' });
export const partialDescription = nullable(field.text({ max: 10_000 }));

/**
 * A version of a partial as it is stored.
 * @throws GatewayError `bad_request`, param `string`, when the template cannot be read
 */
export async function partialText(
  operation: Operation,
  scope: Scope,
  given: { readonly string: Json | undefined; readonly description: Json | undefined },
): Promise<VersionText> {
  const string = asString(given.string) ?? '';
  const variable_components = await readPartial(operation, scope, string);
  return {
    string,
    description: asString(given.description) ?? null,
    document: { variable_components },
  };
}
