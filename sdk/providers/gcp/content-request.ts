import { dialects } from '../../dialects/index.ts';
import { type JsonObject, omit } from '../../json.ts';

const ofTheRoute: ReadonlySet<string> = new Set(['model', 'stream']);

/**
 * A `generateContent` body without the two fields that its format keeps in the path; the very same body when it has
 * neither. For `request`.
 */
export function withoutRoute(body: JsonObject): JsonObject {
  return body.model === undefined && body.stream === undefined ? body : omit(body, ofTheRoute);
}

/** The `generateContent` body that asks what a chat body asks; it names no model. Fields without a place are left out. */
export function contentRequest(chatBody: JsonObject): JsonObject {
  const context = { strict: false, dropped: () => {} };
  return withoutRoute(dialects.gemini.encodeCall(dialects.chat.decodeCall(chatBody, context), context));
}
