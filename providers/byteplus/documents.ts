import { asObjects, asString, compact, type JsonObject } from 'portcullis/sdk';

/** The time of a picture has another name, and the error of one picture stands in its place in `data`. */
export function pictures(json: JsonObject): JsonObject {
  const { created_at, ...rest } = json;
  return created_at === undefined || !Array.isArray(json.data)
    ? json
    : compact({ created: json.created ?? created_at, ...rest });
}

const statuses: ReadonlyMap<string | undefined, string> = new Map([
  ['processing', 'uploaded'],
  ['active', 'processed'],
  ['failed', 'error'],
]);

/** A file, or a list of them. */
export function fileOf(json: JsonObject): JsonObject {
  if (Array.isArray(json.data)) return { ...json, object: 'list', data: asObjects(json.data).map(fileOf) };
  const status = statuses.get(asString(json.status));
  if (json.object !== 'file' || status === undefined) return json;
  const { expire_at, error, ...rest } = json;
  return compact({
    ...rest,
    status,
    expires_at: expire_at,
    status_details: asString((error as JsonObject | null)?.message),
  });
}
