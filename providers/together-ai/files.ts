import {
  asObjects,
  asString,
  compact,
  type Endpoints,
  type Flow,
  GatewayError,
  type JsonObject,
  publishedFiles,
  unixSeconds,
} from 'portcullis/sdk';

/** Together's word for what other servers call `batch`. */
const batchPurpose = 'batch-api';
const published = publishedFiles();

/** https://docs.together.ai/reference/upload-file: the form must say the name of its file in a field, too. */
const upload: Flow = async ({ body, files: [file] }, tools) => {
  if (file === undefined) throw new GatewayError('bad_request', 'file is missing.', { param: 'file' });
  const purpose = body.purpose === 'batch' ? batchPurpose : body.purpose;
  const fields = compact({ file_name: file.filename, ...body, purpose });
  const { status, json } = await tools.send({ method: 'POST', url: '/files/upload', form: { fields, files: [file] } });
  return { status, json: fileOf(json) };
};

export const files: Endpoints = {
  uploadFile: { path: '/files/upload', dialect: 'files', flow: upload },
  listFiles: { ...published.listFiles, repair: listOf },
  retrieveFile: { ...published.retrieveFile, repair: fileOf },
  deleteFile: {
    ...published.deleteFile,
    repair: (json) => (json.deleted === undefined ? json : { ...json, object: 'file' }),
  },
  retrieveFileContent: published.retrieveFileContent,
};

function listOf(json: JsonObject): JsonObject {
  if (!Array.isArray(json.data)) return json;
  return { object: 'list', has_more: false, ...json, data: asObjects(json.data).map(fileOf) };
}

function fileOf(json: JsonObject): JsonObject {
  if (asString(json.id) === undefined) return json;
  return compact({
    ...json,
    object: 'file',
    created_at: unixSeconds(json.created_at),
    purpose: json.purpose === batchPurpose ? 'batch' : json.purpose,
    status: json.Processed === false ? 'uploaded' : 'processed',
  });
}
