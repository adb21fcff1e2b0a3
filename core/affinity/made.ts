import { asArray, asObject, asString, isForeignReasoning, type Json, type JsonObject } from 'portcullis/sdk';
import { idsInRest } from './ids-in-path.ts';
import type { ReferringRequest } from './referred.ts';
import type { ObjectKind } from './rows.ts';

/** What is looked at of a request whose reply has come. */
export interface MakingRequest extends ReferringRequest {
  readonly method: string;
}

/** An object that a reply tells of. */
export interface Made {
  /** Its id, or the encrypted content itself. */
  readonly id: string;
  readonly kind: ObjectKind;
}

/** Objects that came about later, out of another one: they are of the scope that this one is of, and of no other. */
export interface Outcomes {
  readonly of: Made;
  readonly made: readonly Made[];
}

/** The objects that a reply has made. */
export function madeIn(request: MakingRequest, reply: JsonObject): readonly Made[] {
  switch (request.endpoint) {
    case 'uploadFile':
      return ids('file', reply.id);
    case 'createBatch':
      return [...ids('batch', reply.id), ...filesOf(reply)];
    case 'createFinetune':
      return [...ids('fine_tuning_job', reply.id), ...filesOf(reply)];
    case 'createModelResponse':
      return madeByResponse(request.body, reply);
    case 'messages':
      return ids('container', asObject(reply.container)?.id);
    case 'assistants':
    case 'threads':
    case 'vectorStores':
    case 'conversations':
      return request.method === 'POST' ? madeBelow(request, reply) : [];
    default:
      return [];
  }
}

/** What has come out of objects that were made before. */
export function outcomesIn({ endpoint }: MakingRequest, reply: JsonObject): readonly Outcomes[] {
  switch (endpoint) {
    case 'retrieveBatch':
    case 'cancelBatch':
      return outcomes('batch', [reply]);
    case 'retrieveFinetune':
    case 'cancelFinetune':
      return outcomes('fine_tuning_job', [reply]);
    case 'listBatches':
      return outcomes('batch', asArray(reply.data));
    case 'listFinetunes':
      return outcomes('fine_tuning_job', asArray(reply.data));
    case 'getModelResponse':
      return ids('response', reply.id).map((of) => ({ of, made: asArray(reply.output).flatMap(madeByItem) }));
    default:
      return [];
  }
}

/** The id of what the request has deleted. */
export function deletedIn({ endpoint, method, params }: MakingRequest, reply: JsonObject): string | undefined {
  if (reply.deleted !== true) return undefined;
  if (endpoint === 'deleteFile' || endpoint === 'deleteModelResponse') return params.id;
  if (method !== 'DELETE' || !tops.has(endpoint)) return undefined;
  // What is taken out of a vector store stays a file.
  const path = idsInRest(params.rest);
  return path.length === 1 ? path[0] : undefined;
}

/** Whether the reply lists objects of all that have the same account. */
export function listsObjects({ endpoint, method, params }: MakingRequest): boolean {
  if (endpoint === 'listFiles' || endpoint === 'listBatches' || endpoint === 'listFinetunes') return true;
  return method === 'GET' && tops.has(endpoint) && idsInRest(params.rest).length === 0;
}

/** A list without some of its items. Where it goes on is told by an item that is left. */
export function withoutItems(list: JsonObject, left: ReadonlySet<string>): JsonObject {
  const data = asArray(list.data).filter((item) => !left.has(asString(asObject(item)?.id) ?? ''));
  const end = (item: Json | undefined) => asString(asObject(item)?.id) ?? null;
  return {
    ...list,
    data,
    ...(list.first_id === undefined ? {} : { first_id: end(data[0]) }),
    ...(list.last_id === undefined ? {} : { last_id: end(data.at(-1)) }),
  };
}

/** What one event of a stream has made. */
export function madeInEvent(request: MakingRequest, event: JsonObject): readonly Made[] {
  if (request.endpoint === 'threads') {
    return event.object === 'thread' || event.object === 'thread.run' ? madeBelow(request, event) : [];
  }
  if (request.endpoint === 'messages') {
    const holder = asObject(event.message) ?? asObject(event.delta);
    return ids('container', asObject(holder?.container)?.id);
  }
  const response = asObject(event.response);
  if (response !== undefined) return madeByResponse(request.body, { ...response, output: [] });
  return event.type === 'response.output_item.done' ? madeByItem(event.item) : [];
}

const tops: ReadonlySet<string> = new Set(['assistants', 'threads', 'vectorStores', 'conversations']);

const topKinds: Readonly<Record<string, ObjectKind>> = {
  assistants: 'assistant',
  threads: 'thread',
  vectorStores: 'vector_store',
  conversations: 'conversation',
};

function ids(kind: ObjectKind, ...given: readonly (Json | undefined)[]): readonly Made[] {
  return given.flatMap((id) => (typeof id === 'string' && id !== '' ? [{ id, kind }] : []));
}

/** Of a batch or a fine-tuning job: what it has written. */
function filesOf({ output_file_id, error_file_id, result_files }: JsonObject): readonly Made[] {
  return ids('file', output_file_id, error_file_id, ...asArray(result_files));
}

function outcomes(kind: ObjectKind, objects: readonly (Json | undefined)[]): readonly Outcomes[] {
  return objects.flatMap((given) => {
    const object = asObject(given) ?? {};
    const made = filesOf(object);
    return made.length === 0 ? [] : ids(kind, object.id).map((of) => ({ of, made }));
  });
}

/** What a provider does not keep has no id to come back to; encrypted reasoning comes back in any case. */
function madeByResponse(asked: JsonObject, reply: JsonObject): readonly Made[] {
  const kept = (reply.store ?? asked.store) !== false;
  const made = asArray(reply.output).flatMap(madeByItem);
  return kept
    ? [...ids('response', reply.id), ...made]
    : made.filter(({ kind }) => kind !== 'item' && kind !== 'response');
}

function madeByItem(given: Json | undefined): readonly Made[] {
  if (isForeignReasoning(given)) return [];
  const item = asObject(given) ?? {};
  return [...ids('reasoning', item.encrypted_content), ...ids('item', item.id), ...ids('container', item.container_id)];
}

/** A run may make its thread; everything else has the id of its own. */
function madeBelow({ endpoint, params }: MakingRequest, reply: JsonObject): readonly Made[] {
  if (reply.object === 'list') return asArray(reply.data).flatMap((item) => ids('part', asObject(item)?.id));
  const isTop = idsInRest(params.rest).length === 0 && reply.object !== 'thread.run';
  return [
    ...ids(isTop ? (topKinds[endpoint] ?? 'part') : 'part', reply.id),
    ...(endpoint === 'threads' ? ids('thread', reply.thread_id) : []),
  ];
}
