import {
  asNumber,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type Endpoint,
  type Endpoints,
  type JsonObject,
  type ReplyFacts,
  unixSeconds,
} from 'portcullis/sdk';

/** The beta of the Files API: https://platform.claude.com/docs/en/build-with-claude/files */
export const filesBeta = 'files-api-2025-04-14';

/** Files have one purpose here, to be used in messages: a purpose is told back, and not sent on. */
const params = { drop: ['purpose'] };

export const files: Endpoints = {
  uploadFile: { path: '/files', dialect: 'files', params, repair: fileOf },
  listFiles: { method: 'GET', path: listPath, query: false, dialect: 'files', repair: listOf },
  retrieveFile: { method: 'GET', path: '/files/{id}', dialect: 'files', repair: fileOf },
  deleteFile: { method: 'DELETE', path: '/files/{id}', dialect: 'files', repair: deletedOf },
  // Refused for files that were uploaded: only those that a tool has made can be fetched.
  retrieveFileContent: { method: 'GET', path: '/files/{id}/content', reply: 'bytes' },
};

export function isFileEndpoint(endpoint: Endpoint): boolean {
  return Object.hasOwn(files, endpoint);
}

/** Pages are asked for in other words; `order` and `purpose` have no place. */
function listPath({ query }: CallFacts): string {
  const { limit, after, before } = query;
  const asked = compact({ limit, after_id: after, before_id: before });
  const text = new URLSearchParams(asked as Record<string, string>).toString();
  return text === '' ? '/files' : `/files?${text}`;
}

function fileOf(json: JsonObject, { asked }: ReplyFacts): JsonObject {
  return json.type === 'file' ? fileFrom(json, asString(asked.purpose)) : json;
}

function listOf(json: JsonObject): JsonObject {
  if (!Array.isArray(json.data)) return json;
  return compact({
    object: 'list',
    data: asObjects(json.data).map((file) => fileFrom(file, undefined)),
    first_id: json.first_id,
    last_id: json.last_id,
    has_more: json.has_more === true,
  });
}

function deletedOf(json: JsonObject): JsonObject {
  return json.type === 'file_deleted' ? { id: json.id ?? '', object: 'file', deleted: true } : json;
}

/** What it holds beside the fields of a file, such as `mime_type` and `downloadable`, stays. */
function fileFrom({ size_bytes, created_at, type: _, ...rest }: JsonObject, purpose: string | undefined): JsonObject {
  return {
    ...rest,
    object: 'file',
    bytes: asNumber(size_bytes) ?? 0,
    created_at: unixSeconds(created_at) ?? 0,
    purpose: purpose ?? 'user_data',
    status: 'processed',
  };
}
