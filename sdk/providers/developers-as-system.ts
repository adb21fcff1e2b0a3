import { asObjects, type JsonObject } from '../json.ts';

/** A chat request for providers that know no role `developer`: such messages become those of the system. For `request`. */
export function developersAsSystem(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  if (!messages.some(isDeveloper)) return body;
  return {
    ...body,
    messages: messages.map((message) => (isDeveloper(message) ? { ...message, role: 'system' } : message)),
  };
}

function isDeveloper({ role }: JsonObject): boolean {
  return role === 'developer';
}
