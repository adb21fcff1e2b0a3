import { asArray, asObject, asObjects, asString, GatewayError, type JsonObject } from 'portcullis/sdk';
import { type SentBody, textOf } from './body.ts';
import { absent, type Kind, type Place, shelfAt, started } from './collections.ts';
import { nowSeconds } from './media.ts';
import { contentOf } from './stored-files.ts';

/** Stores of files that are searched for a text, and conversations of the responses format. */
export const knowledge: readonly Kind[] = [
  {
    path: '/vector_stores',
    object: 'vector_store',
    changeable: true,
    removable: true,
    create: createStore,
    refresh: (store) => ({ ...store, ...countsOf(String(store.id)) }),
    views: { search },
  },
  { path: '/vector_stores/*/files', object: 'vector_store.file', removable: true, changeable: true, create: addFile },
  {
    path: '/vector_stores/*/file_batches',
    object: 'vector_store.file_batch',
    create: addFiles,
    actions: { cancel: (batch) => batch },
    views: { files: (_, __, { path, query }) => shelfAt(filesPath(path)).page(query) },
  },
  {
    path: '/conversations',
    object: 'conversation',
    changeable: true,
    removable: true,
    create: createConversation,
  },
  { path: '/conversations/*/items', object: 'conversation.item', create: addItems },
];

function createStore({ json }: SentBody, place: Place): JsonObject {
  const store = started('vector_store', 'vs_', place);
  const path = `/vector_stores/${store.id}/files`;
  for (const id of asArray(json.file_ids)) attach(String(id), path);
  return {
    ...store,
    name: json.name ?? null,
    status: 'completed',
    last_active_at: nowSeconds(),
    expires_after: json.expires_after ?? null,
    expires_at: null,
    metadata: json.metadata ?? {},
    ...countsOf(String(store.id)),
  };
}

function countsOf(id: string): JsonObject {
  const files = shelfAt(`/vector_stores/${id}/files`).all();
  const usage_bytes = files.reduce((sum, file) => sum + Number(file.usage_bytes), 0);
  return { usage_bytes, file_counts: countsFor(files.length) };
}

const countsFor = (total: number) => ({ in_progress: 0, completed: total, failed: 0, cancelled: 0, total });

function addFile({ json }: SentBody, { path }: Place): JsonObject {
  return attach(asString(json.file_id) ?? '', path, json.attributes);
}

function attach(id: string, path: string, attributes: JsonObject[string] | undefined = {}): JsonObject {
  const bytes = contentOf(id);
  if (bytes === undefined) throw absent(id);
  return shelfAt(path).put({
    id,
    object: 'vector_store.file',
    created_at: nowSeconds(),
    usage_bytes: bytes.length,
    vector_store_id: path.split('/')[2] ?? '',
    status: 'completed',
    last_error: null,
    attributes,
  });
}

function addFiles({ json }: SentBody, place: Place): JsonObject {
  const ids = asArray(json.file_ids).map(String);
  for (const id of ids) attach(id, filesPath(place.path));
  return {
    ...started('vector_store.file_batch', 'vsfb_', place),
    vector_store_id: place.path.split('/')[2] ?? '',
    status: 'completed',
    file_counts: countsFor(ids.length),
  };
}

function filesPath(path: string): string {
  return path.replace(/\/file_batches$/, '/files');
}

/** Files whose text holds a word of the query; the more words, the higher the score. */
function search({ id }: JsonObject, { json }: SentBody): JsonObject {
  const queries = typeof json.query === 'string' ? [json.query] : asArray(json.query).map(String);
  const words = queries.flatMap((query) => query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  if (words.length === 0) throw new GatewayError('bad_request', 'query is required.', { param: 'query' });
  const found = shelfAt(`/vector_stores/${id}/files`)
    .all()
    .map((file) => {
      const text = textOf(contentOf(String(file.id)) ?? new Uint8Array());
      const score = words.filter((word) => text.toLowerCase().includes(word)).length / words.length;
      return { file, text, score };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const data = found.map(({ file, text, score }) => ({
    file_id: file.id ?? null,
    filename: shelfAt('/files').get(String(file.id))?.filename ?? null,
    score,
    attributes: file.attributes ?? {},
    content: [{ type: 'text', text }],
  }));
  return {
    object: 'vector_store.search_results.page',
    search_query: queries,
    data,
    has_more: false,
    next_page: null,
  };
}

function createConversation({ json }: SentBody, place: Place): JsonObject {
  const conversation = started('conversation', 'conv_', place);
  keepItems(json, { ...place, path: `/conversations/${conversation.id}/items` });
  return { ...conversation, metadata: json.metadata ?? {} };
}

function addItems({ json }: SentBody, place: Place): JsonObject {
  const data = keepItems(json, place);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: false,
  };
}

function keepItems({ items }: JsonObject, place: Place): readonly JsonObject[] {
  return asObjects(items).map((item) => {
    const content =
      typeof item.content === 'string' ? [{ type: 'input_text', text: item.content }] : (asObject(item)?.content ?? []);
    return shelfAt(place.path).put({ type: 'message', status: 'completed', ...item, content, id: place.newId('msg_') });
  });
}
