import { type JsonObject, omit } from '../../json.ts';

/** What stands beside the known fields of a body, in the spelling of the platform: it is for the provider to judge. */
export function unknownFields(body: JsonObject, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(omit(body, known)).map(([name, value]) => [camel(name), value]));
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
