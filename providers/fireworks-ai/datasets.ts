import {
  asObject,
  asObjects,
  asString,
  compact,
  type Endpoints,
  type Flow,
  type FlowTools,
  GatewayError,
  type JsonObject,
  unixSeconds,
} from 'portcullis/sdk';
import { accountUrl, idOf, pageQuery, pathId } from './account.ts';

const deleted = (id: string): JsonObject => ({ id, object: 'file', deleted: true });

/** A dataset is made first and filled then: https://docs.fireworks.ai/api-reference/upload-dataset-files */
const upload: Flow = async ({ facts, body, files: [file] }, tools) => {
  if (file === undefined) throw new GatewayError('bad_request', 'file is missing.', { param: 'file' });
  const datasets = `${accountUrl(facts)}/datasets`;
  const datasetId = tools
    .newId('file-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-');
  const dataset = { displayName: file.filename, userUploaded: {} };
  await tools.send({ method: 'POST', url: datasets, body: { dataset, datasetId } });
  await tools.send({ method: 'POST', url: `${datasets}/${datasetId}:upload`, form: { fields: {}, files: [file] } });
  const { status, json } = await tools.send({ method: 'GET', url: `${datasets}/${datasetId}` });
  const purpose = asString(body.purpose) ?? 'fine-tune';
  return { status, json: { ...fileOf(json), bytes: file.size, purpose } };
};

const list: Flow = async ({ facts }, tools) => {
  const { status, json } = await tools.send({ method: 'GET', url: `${accountUrl(facts)}/datasets${pageQuery(facts)}` });
  const next = asString(json.nextPageToken) ?? '';
  return {
    status,
    json: {
      object: 'list',
      data: asObjects(json.datasets).map(fileOf),
      has_more: next !== '',
      ...(next === '' ? {} : { last_id: next }),
    },
  };
};

const retrieve: Flow = async ({ facts }, tools) => {
  const { status, json } = await tools.send({ method: 'GET', url: `${accountUrl(facts)}/datasets/${pathId(facts)}` });
  return { status, json: fileOf(json) };
};

const remove: Flow = async ({ facts }, tools) => {
  const url = `${accountUrl(facts)}/datasets/${pathId(facts)}`;
  const { status } = await tools.send({ method: 'DELETE', url });
  return { status, json: deleted(facts.params.id ?? '') };
};

const content: Flow = ({ facts }, tools) => openDataset(`${accountUrl(facts)}/datasets/${pathId(facts)}`, tools);

/** The first file of a dataset, from the signed URL that stands for it. */
export async function openDataset(dataset: string, tools: FlowTools): ReturnType<Flow> {
  const { json } = await tools.send({ method: 'GET', url: `${dataset}:getDownloadEndpoint` });
  const [url] = Object.values(asObject(json.filenameToSignedUrls) ?? {});
  if (typeof url !== 'string') throw new GatewayError('not_found', 'The dataset holds no file.', { param: 'id' });
  const { status, headers, body } = await tools.open({ method: 'GET', url, anonymous: true });
  return { status, contentType: headers['content-type'] ?? 'application/octet-stream', body };
}

/** Files are datasets: https://docs.fireworks.ai/api-reference/create-dataset and its neighbours. */
export const datasets: Endpoints = {
  uploadFile: { path: '/files', dialect: 'files', flow: upload, reads: ['purpose'] },
  listFiles: { method: 'GET', path: '/files', dialect: 'files', flow: list },
  retrieveFile: { method: 'GET', path: '/files/{id}', dialect: 'files', flow: retrieve },
  deleteFile: { method: 'DELETE', path: '/files/{id}', dialect: 'files', flow: remove },
  retrieveFileContent: { method: 'GET', path: '/files/{id}/content', reply: 'bytes', flow: content },
};

/** A size is told by none but the upload. */
function fileOf(dataset: JsonObject): JsonObject {
  const id = idOf(dataset.name);
  return compact({
    id,
    object: 'file',
    created_at: unixSeconds(dataset.createTime),
    filename: asString(dataset.displayName) || id,
    purpose: 'fine-tune',
    status: statusOf(dataset),
    status_details: asString(asObject(dataset.status)?.message) || undefined,
  });
}

function statusOf({ state, status }: JsonObject): string {
  const code = asString(asObject(status)?.code) ?? 'OK';
  if (code !== 'OK') return 'error';
  return state === 'READY' ? 'processed' : 'uploaded';
}
