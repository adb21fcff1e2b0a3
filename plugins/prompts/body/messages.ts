import { asObject, GatewayError, type Json, type JsonArray, parseJson, requestSchemas } from 'portcullis/sdk';
import { bounds, isShallow } from '../template/bounds.ts';

const { messages } = (requestSchemas.chat as unknown as { properties: { messages: MessagesSchema } }).properties;

interface MessagesSchema {
  readonly items: { readonly properties: { readonly role: { readonly enum: readonly string[] } } };
}

/** The roles that the request format knows. */
const roles: readonly string[] = messages.items.properties.role.enum;

/** The messages that a text is the JSON of, or undefined when it is a text of its own. */
export function messagesIn(string: string): JsonArray | undefined {
  if (!string.trimStart().startsWith('[')) return undefined;
  const parsed = parseJson(string);
  return Array.isArray(parsed) && parsed.every(asObject) ? (parsed as JsonArray) : undefined;
}

/**
 * The value as the messages of a request. What each of them holds is for the request's own schema to say.
 * @param accepts which roles beside those of the format: in a template, one that is filled in later
 * @throws GatewayError `bad_request`
 */
export function checkMessages(value: Json, param: string, accepts?: (role: string) => boolean): JsonArray {
  if (!Array.isArray(value) || value.length === 0) {
    throw new GatewayError('bad_request', 'The template must give a JSON array of at least 1 message.', { param });
  }
  if (!isShallow(value)) {
    throw new GatewayError('bad_request', `Messages nest at most ${bounds.valueDepth} levels deep.`, { param });
  }
  value.forEach((message: Json, index) => {
    const role = asObject(message)?.role;
    if (typeof role === 'string' && (roles.includes(role) || accepts?.(role) === true)) return;
    const text = `messages[${index}] must be an object whose role is one of ${roles.join(', ')}.`;
    throw new GatewayError('bad_request', text, { param });
  });
  return value;
}
