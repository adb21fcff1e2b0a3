import {
  asObject,
  asObjects,
  compact,
  type Endpoints,
  type JsonObject,
  publishedBatches,
  publishedFiles,
  unixSeconds,
} from 'portcullis/sdk';

const published = publishedBatches();

/**
 * https://docs.siliconflow.cn/cn/api-reference/batch/upload-file, /create-batch and their neighbours. What a finished batch
 * names as its output is a link to another host, not a file.
 */
export const batches: Endpoints = {
  uploadFile: { ...publishedFiles().uploadFile, repair: uploaded },
  createBatch: { ...published.createBatch, repair: batchOf },
  listBatches: { ...published.listBatches, repair: batchOf },
  retrieveBatch: { ...published.retrieveBatch, repair: batchOf },
  cancelBatch: { ...published.cancelBatch, repair: batchOf },
};

/** The file stands in an envelope. */
function uploaded(json: JsonObject): JsonObject {
  const file = asObject(json.data);
  if (file?.id === undefined) return json;
  const { createdAt, ...rest } = file;
  return compact({ ...rest, created_at: unixSeconds(file.created_at ?? createdAt) });
}

/** A batch that waits is `in_queue`. */
function batchOf(json: JsonObject): JsonObject {
  if (Array.isArray(json.data)) return { ...json, data: asObjects(json.data).map(batchOf) };
  return json.status === 'in_queue' ? { ...json, status: 'validating' } : json;
}
