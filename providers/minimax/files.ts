import {
  asObject,
  asObjects,
  compact,
  type Endpoints,
  type Flow,
  type FlowReply,
  GatewayError,
  type JsonObject,
  pathSegment,
  publishedFiles,
} from 'portcullis/sdk';
import { refused } from './media.ts';

/** https://platform.minimax.io/docs/api-reference/file-management-upload and its neighbours. Ids are numbers there. */
export const files: Endpoints = {
  uploadFile: { path: '/files/upload', dialect: 'files', repair: fileOf },
  listFiles: { method: 'GET', path: '/files/list', dialect: 'files', repair: listOf },
  retrieveFile: {
    method: 'GET',
    path: ({ params }) => `/files/retrieve?file_id=${pathSegment(params.id ?? '', 'id')}`,
    dialect: 'files',
    query: false,
    repair: fileOf,
  },
  deleteFile: { method: 'DELETE', path: '/files/delete', dialect: 'files', flow: remove() },
  retrieveFileContent: {
    ...publishedFiles().retrieveFileContent,
    path: ({ params }) => `/files/retrieve_content?file_id=${pathSegment(params.id ?? '', 'id')}`,
    query: false,
  },
};

function remove(): Flow {
  return async ({ facts }, tools) => {
    const id = facts.params.id ?? '';
    const file_id = /^\d{1,15}$/.test(id) ? Number(id) : id;
    const reply = await tools.send({ method: 'POST', url: '/files/delete', body: { file_id } });
    return deletion(id, reply);
  };
}

function deletion(id: string, { status, json }: FlowReply): { readonly status: number; readonly json: JsonObject } {
  const fault = asObject(refused(json).error);
  if (fault !== undefined) throw new GatewayError('upstream_error', String(fault.message));
  return { status, json: { id, object: 'file', deleted: true } };
}

function fileOf(json: JsonObject): JsonObject {
  const file = asObject(json.file);
  return file === undefined ? refused(json) : described(file);
}

function listOf(json: JsonObject): JsonObject {
  if (!Array.isArray(json.files)) return refused(json);
  return { object: 'list', data: asObjects(json.files).map(described), has_more: false };
}

function described({ file_id, ...file }: JsonObject): JsonObject {
  return compact({ id: String(file_id ?? ''), object: 'file', ...file, status: 'processed' });
}
