import { asObject, type JsonObject, parseJson } from '../../json.ts';

/**
 * The `input` object of a tool call. No arguments give `{}`. Arguments that are no JSON object (a custom tool's free
 * text, or a model's slip) are kept word for word under one key: `{"input": "<arguments>"}`.
 */
export function toolInput(text: string, custom = false): JsonObject {
  if (custom) return { input: text };
  if (text.trim() === '') return {};
  return asObject(parseJson(text)) ?? { input: text };
}

/** The id in the characters that the API accepts (letters, digits, `_`, `-`); any other one becomes `_` and its code in hex. */
export function toolId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`);
}
