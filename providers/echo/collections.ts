import { GatewayError, type JsonObject, type LocalReply, type LocalRequest } from 'portcullis/sdk';
import { bodyOf, type SentBody } from './body.ts';
import { idsOf, newSeed } from './generation.ts';
import { nowSeconds } from './media.ts';
import { Shelf } from './shelf.ts';
import { jsonReply } from './wire.ts';

/** Where an object is made or looked at. */
export interface Place {
  /** Of the collection: `/threads/thread_1/messages`. */
  readonly path: string;
  readonly request: LocalRequest;
  readonly query: URLSearchParams;
  newId(prefix: string): string;
}

export type Given = LocalReply | JsonObject;

/** One kind of objects that are kept: what is not said here is refused. */
export interface Kind {
  /** A star stands for the id of the object above. */
  readonly path: string;
  /** The objects' `object`; also what a deletion says, with `.deleted` behind it unless `deleted` says otherwise. */
  readonly object: string;
  readonly deleted?: string;
  readonly listed?: false;
  /** Makes an object out of a request; the collection keeps it when it has an id. */
  readonly create?: (sent: SentBody, place: Place) => Given | Promise<Given>;
  /** Brings an object up to date before it is shown. */
  readonly refresh?: (object: JsonObject, place: Place) => JsonObject | Promise<JsonObject>;
  readonly changeable?: true;
  readonly removable?: true;
  readonly afterRemoval?: (object: JsonObject) => void;
  /** `POST .../ID/NAME` gives a new state of the object. */
  readonly actions?: Readonly<Record<string, (object: JsonObject, sent: SentBody, place: Place) => JsonObject>>;
  /** `GET` or `POST .../ID/NAME` shows something else of the object. */
  readonly views?: Readonly<Record<string, (object: JsonObject, sent: SentBody, place: Place) => Given>>;
}

const shelves = new Map<string, Shelf>();
const mostShelves = 1000;

/** What is kept under a path: `/threads/thread_1/messages`. */
export function shelfAt(path: string): Shelf {
  const known = shelves.get(path);
  if (known !== undefined) return known;
  const shelf = new Shelf();
  shelves.set(path, shelf);
  if (shelves.size <= mostShelves) return shelf;
  const nested = [...shelves.keys()].find((key) => key.split('/').length > 3);
  if (nested !== undefined) shelves.delete(nested);
  return shelf;
}

/** Answers a request for what is kept; undefined when the path is none of it. @throws GatewayError */
export async function answerKept(
  kinds: readonly Kind[],
  request: LocalRequest,
  pathname: string,
  query: URLSearchParams,
): Promise<LocalReply | undefined> {
  const found = find(kinds, pathname);
  if (found === undefined) return undefined;
  const { kind, path, id, rest } = found;
  requireParent(path);
  const place = placeAt(path, request, query);
  const { method } = request;
  if (id === undefined) return answerAll(kind, method, place);
  return replyOf(await answerOne(kind, method, id, rest, place));
}

export function placeAt(path: string, request: LocalRequest, query: URLSearchParams): Place {
  return { path, request, query, newId: idsOf(newSeed()).newId };
}

interface Found {
  readonly kind: Kind;
  readonly path: string;
  readonly id: string | undefined;
  /** Behind the id. */
  readonly rest: string | undefined;
}

/** The longest path that fits. */
function find(kinds: readonly Kind[], pathname: string): Found | undefined {
  for (const kind of kinds.toSorted((a, b) => b.path.length - a.path.length)) {
    const pattern = new RegExp(`^(${kind.path.replaceAll('*', '[^/]+')})(?:/([^/]+))?(?:/([^/]+))?$`);
    const [, path, id, rest] = pattern.exec(pathname) ?? [];
    if (path !== undefined) return { kind, path, id, rest };
  }
  return undefined;
}

/** `/threads/thread_1/messages` needs the thread. */
function requireParent(path: string): void {
  const [, parents, id] = /^(.+)\/([^/]+)\/[^/]+$/.exec(path) ?? [];
  if (parents === undefined || id === undefined) return;
  if (shelves.get(parents)?.get(id) === undefined) throw absent(id);
}

async function answerAll(kind: Kind, method: string, place: Place): Promise<LocalReply> {
  if (method === 'GET' && kind.listed !== false) return jsonReply(200, shelfAt(place.path).page(place.query));
  if (method !== 'POST' || kind.create === undefined) throw refused(method, place.path);
  const made = await kind.create(await bodyOf(place.request), place);
  if (!isReply(made) && typeof made.id === 'string') shelfAt(place.path).put(made);
  return replyOf(made);
}

async function answerOne(
  kind: Kind,
  method: string,
  id: string,
  rest: string | undefined,
  place: Place,
): Promise<Given> {
  const shelf = shelfAt(place.path);
  const kept = shelf.get(id);
  if (kept === undefined) throw absent(id);
  if (rest !== undefined) return answerBelow(kind, kept, rest, method, place);
  if (method === 'GET') return shelf.put(kind.refresh === undefined ? kept : await kind.refresh(kept, place));
  if (method === 'POST' && kind.changeable === true)
    return shelf.put({ ...kept, ...(await bodyOf(place.request)).json, id, object: kind.object });
  if (method !== 'DELETE' || kind.removable !== true) throw refused(method, `${place.path}/${id}`);
  shelf.remove(id);
  kind.afterRemoval?.(kept);
  return { id, object: kind.deleted ?? `${kind.object}.deleted`, deleted: true };
}

async function answerBelow(kind: Kind, kept: JsonObject, name: string, method: string, place: Place): Promise<Given> {
  const view = kind.views?.[name];
  if (view !== undefined) return view(kept, await bodyOf(place.request), place);
  const action = method === 'POST' ? kind.actions?.[name] : undefined;
  if (action === undefined) throw refused(method, `${place.path}/${kept.id}/${name}`);
  return shelfAt(place.path).put(action(kept, await bodyOf(place.request), place));
}

export function replyOf(given: Given): LocalReply {
  return isReply(given) ? given : jsonReply(200, given);
}

function isReply(given: Given): given is LocalReply {
  return typeof given.status === 'number';
}

export function absent(id: string): GatewayError {
  return new GatewayError('not_found', `No such object: ${id}.`, { type: 'invalid_request_error', param: 'id' });
}

function refused(method: string, path: string): GatewayError {
  return new GatewayError('method_not_allowed', `The echo has no ${method} ${path}.`);
}

/** The fields that each object begins with. */
export function started(object: string, prefix: string, place: Place): JsonObject {
  return { id: place.newId(prefix), object, created_at: nowSeconds() };
}
