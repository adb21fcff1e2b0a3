import { asObjects, asString, type JsonObject } from '../json.ts';

/** Words of providers for a file that is there and not yet looked at, and for one that can be used. */
const statuses: ReadonlyMap<string | undefined, string> = new Map([
  ['pending', 'uploaded'],
  ['running', 'uploaded'],
  ['ready', 'processed'],
]);

/**
 * A file, or a list of them, of a provider that follows OpenAI's form: its status in one of the words of that form, and a
 * list that comes whole says that nothing follows, where clients would go on to ask for ever. Gives its input where there
 * is nothing to do. https://platform.openai.com/docs/api-reference/files/list
 */
export function filesAsPublished(json: JsonObject): JsonObject {
  if (json.object === 'file') {
    const status = statuses.get(asString(json.status));
    return status === undefined ? json : { ...json, status };
  }
  if (!Array.isArray(json.data)) return json;
  const files = asObjects(json.data);
  const data = files.map(filesAsPublished);
  const isPublished =
    json.object === 'list' && json.has_more !== undefined && data.every((file, at) => file === files[at]);
  return isPublished ? json : { has_more: false, ...json, object: 'list', data };
}
