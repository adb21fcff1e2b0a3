import { asNumber, asObject, asObjects, asString, compact, type JsonObject, unixSeconds } from 'portcullis/sdk';

const statuses: ReadonlyMap<string, string> = new Map([
  ['validated', 'processed'],
  ['skipped', 'processed'],
  ['failed', 'error'],
]);

/** A dataset as a file. Source: https://docs.cohere.com/reference/get-dataset. */
export function fileOf(dataset: JsonObject): JsonObject {
  const parts = asObjects(dataset.dataset_parts);
  const error = asString(dataset.validation_error);
  return compact({
    id: asString(dataset.id) ?? '',
    object: 'file',
    bytes: parts.reduce((sum, part) => sum + (asNumber(part.size_bytes) ?? 0), 0),
    created_at: unixSeconds(dataset.created_at) ?? 0,
    filename: asString(dataset.name) ?? '',
    purpose: purposeOf(asString(dataset.dataset_type) ?? ''),
    status: statuses.get(asString(dataset.validation_status) ?? '') ?? 'uploaded',
    status_details: error || undefined,
  });
}

function purposeOf(type: string): string {
  if (type.includes('finetune')) return 'fine-tune';
  return type.endsWith('-result') ? 'batch_output' : 'batch';
}

/** The reply that holds one dataset, or several, as a file or a list of them. */
export function filesIn(json: JsonObject): JsonObject {
  const dataset = asObject(json.dataset);
  if (dataset !== undefined) return fileOf(dataset);
  if (!Array.isArray(json.datasets)) return json;
  return { object: 'list', data: asObjects(json.datasets).map(fileOf), has_more: false };
}
