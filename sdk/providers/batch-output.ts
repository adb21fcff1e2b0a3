import type { Flow } from '../contracts/flow.ts';
import type { CallFacts } from '../contracts/provider.ts';
import { GatewayError } from '../errors.ts';
import { asString, type JsonObject } from '../json.ts';
import { pathSegment } from './path-segment.ts';

/** Paths below the provider's base; ids come encoded. */
export interface BatchPaths {
  readonly batch: (id: string, facts: CallFacts) => string;
  readonly content: (fileId: string, facts: CallFacts) => string;
  /** The file that the provider's own form of a batch names. */
  readonly file?: (batch: JsonObject) => string | undefined;
}

const published: BatchPaths = { batch: (id) => `/batches/${id}`, content: (id) => `/files/${id}/content` };

/**
 * `GET /batches/{id}/output` for providers whose batches name a file: reads the batch, then lets the content of its
 * `output_file_id` flow, or of its `error_file_id` where every line has failed. For `flow`.
 */
export function batchOutput(paths: BatchPaths = published): Flow {
  return async ({ facts }, tools) => {
    const id = facts.params.id ?? '';
    const { json } = await tools.send({ method: 'GET', url: paths.batch(pathSegment(id, 'id'), facts) });
    const file = (paths.file ?? publishedFile)(json);
    if (!file) throw withoutOutput(id, json);
    const url = paths.content(pathSegment(file, 'output_file_id'), facts);
    const { status, headers, body } = await tools.open({ method: 'GET', url });
    return { status, contentType: headers['content-type'] ?? 'application/octet-stream', body };
  };
}

function publishedFile(batch: JsonObject): string | undefined {
  return asString(batch.output_file_id) || asString(batch.error_file_id);
}

function withoutOutput(id: string, { status }: JsonObject): GatewayError {
  const known = asString(status);
  const state = known === undefined ? '' : `: its status is ${known}`;
  return new GatewayError('not_found', `The batch ${id} has no output${state}.`, { param: 'id' });
}
