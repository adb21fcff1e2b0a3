import {
  asObject,
  type DialectName,
  type Endpoint,
  type JsonObject,
  parseJson,
  type RequestContext,
} from 'portcullis/sdk';
import { readAudioPrompt, readSpoken, readTranscript } from './audio.ts';
import { readChat, readChatReply, readMessageReply } from './chat.ts';
import { readContents, readContentsReply, readEmbedded } from './contents.ts';
import { readKept } from './kept.ts';
import { readMessages, readMessagesReply } from './messages.ts';
import { readPagePrompt, readPages } from './pages.ts';
import {
  readCompletions,
  readCompletionsReply,
  readEchoed,
  readEmbeddedTexts,
  readEmbeddings,
  readImagePrompt,
  readModelName,
  readRerank,
  readRevisedPrompts,
} from './prompts.ts';
import { nothing, type Reading, unreadable } from './reading.ts';
import { readItemList, readResponses, readResponsesReply } from './responses.ts';

type Reader = (body: JsonObject) => Reading;

const nothingToRead: Reader = () => nothing;

/** The lines of a batch are looked at one by one, as the requests that they are; other files pass unread. */
const readUpload: Reader = ({ purpose }) =>
  purpose === 'batch' ? nothing : unreadable('Bodies on uploadFile pass unread.');

/** Some providers take the lines in the body itself, where nobody would look at them as the requests that they are. */
const readBatch: Reader = ({ requests }) =>
  (requests ?? null) === null
    ? nothing
    : unreadable('Requests in the body of a batch pass unread; upload them as a file.');

interface Readers {
  readonly request: Reader | 'closed';
  readonly reply: Reader | 'closed';
}

/** Names alone, of what a provider keeps. */
const names: Readers = { request: nothingToRead, reply: nothingToRead };
const closed: Readers = { request: 'closed', reply: 'closed' };
const picture: Readers = { request: readImagePrompt, reply: readRevisedPrompts };
const heard: Readers = { request: readAudioPrompt, reply: readTranscript };
const kept: Readers = { request: readKept, reply: readKept };

/** How the body of a request is read, and that of its reply. `closed`: bytes pass that the gateway does not read. */
const readers: Readonly<Record<Endpoint, Readers>> = {
  chatComplete: { request: readChat, reply: readChatReply },
  complete: { request: readCompletions, reply: readCompletionsReply },
  embed: { request: readEmbeddings, reply: readEchoed },
  rerank: { request: readRerank, reply: readEchoed },
  moderate: { request: readEmbeddings, reply: nothingToRead },
  ocr: { request: readPagePrompt, reply: readPages },
  imageGenerate: picture,
  imageEdit: picture,
  imageVariation: picture,
  createSpeech: { request: readSpoken, reply: nothingToRead },
  createTranscription: heard,
  createTranslation: heard,
  messages: { request: readMessages, reply: readMessagesReply },
  messagesCountTokens: { request: readMessages, reply: nothingToRead },
  createModelResponse: { request: readResponses, reply: readResponsesReply },
  getModelResponse: { request: nothingToRead, reply: readResponsesReply },
  deleteModelResponse: names,
  cancelModelResponse: { request: nothingToRead, reply: readResponsesReply },
  listResponseInputItems: { request: nothingToRead, reply: readItemList },
  uploadFile: { request: readUpload, reply: nothingToRead },
  listFiles: names,
  retrieveFile: names,
  deleteFile: names,
  retrieveFileContent: names,
  createBatch: { request: readBatch, reply: nothingToRead },
  listBatches: names,
  retrieveBatch: names,
  cancelBatch: names,
  getBatchOutput: names,
  createFinetune: { request: readModelName, reply: nothingToRead },
  listFinetunes: names,
  retrieveFinetune: names,
  cancelFinetune: names,
  listFinetuneEvents: names,
  listFinetuneCheckpoints: names,
  assistants: kept,
  threads: kept,
  vectorStores: kept,
  conversations: kept,
  listModels: names,
  retrieveModel: names,
  promptComplete: closed,
  realtime: closed,
  proxy: closed,
};

/** Formats of which a client may speak on an endpoint that has another one for most; what stands in neither is not read. */
const ofDialects: { readonly [Name in DialectName]?: { readonly [E in Endpoint]?: Readers } } = {
  gemini: {
    chatComplete: { request: readContents, reply: readContentsReply },
    messagesCountTokens: { request: readContents, reply: nothingToRead },
    listModels: names,
    retrieveModel: names,
  },
  cohere: { chatComplete: { request: readChat, reply: readMessageReply } },
  'cohere-embeddings': { embed: { request: readEmbeddedTexts, reply: readEchoed } },
  'gemini-embeddings': { embed: { request: readEmbedded, reply: nothingToRead } },
};

function readersOf(endpoint: Endpoint, dialect: DialectName | undefined): Readers {
  const own = dialect === undefined ? undefined : ofDialects[dialect];
  return own === undefined ? readers[endpoint] : (own[endpoint] ?? closed);
}

/** Whether they pass unread although they may hold texts. */
export function isClosed(endpoint: Endpoint, part: 'request' | 'reply', dialect?: DialectName): boolean {
  return readersOf(endpoint, dialect)[part] === 'closed';
}

/** Whether requests of a kind, or their replies, hold texts. */
export function isReadable(endpoint: Endpoint, part: 'request' | 'reply', dialect?: DialectName): boolean {
  const reader = readersOf(endpoint, dialect)[part];
  return reader !== 'closed' && reader !== nothingToRead;
}

export function readRequest(request: RequestContext, body: JsonObject): Reading {
  const { endpoint, dialect } = request;
  const reader = readersOf(endpoint, dialect).request;
  if (reader !== 'closed') return shallow(reader, body);
  const asksNothing = endpoint !== 'realtime' && !bringsBody(request);
  return asksNothing ? nothing : unreadable(`Bodies on ${endpoint} pass unread.`);
}

/** What comes with a GET is not sent on; that a DELETE brings something is told by one of two headers (RFC 9112 §6.3). */
function bringsBody({ method, headers }: RequestContext): boolean {
  if (method !== 'DELETE') return method !== 'GET' && method !== 'HEAD';
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** @param dialect of the client */
export function readReply(endpoint: Endpoint, reply: JsonObject | undefined, dialect?: DialectName): Reading {
  const reader = readersOf(endpoint, dialect).reply;
  if (reader === nothingToRead) return nothing;
  if (reader === 'closed') return unreadable(`Replies on ${endpoint} pass unread.`);
  if (reply !== undefined) return shallow(reader, reply);
  // Pictures may come as their bytes.
  return reader === readRevisedPrompts ? nothing : unreadable('The reply is no JSON object.');
}

/** JSON of thousands of levels exhausts the stack of whatever walks through it. */
function shallow(reader: Reader, body: JsonObject): Reading {
  try {
    return reader(body);
  } catch (error) {
    if (error instanceof RangeError) return unreadable('The body is nested too deeply.');
    throw error;
  }
}

/** A byte order mark in front is none of the JSON. */
export function parsedReply(bytes: Uint8Array): JsonObject | undefined {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start).toString('utf8');
  return asObject(parseJson(text));
}
