import { asObject, type Endpoint, type JsonObject, parseJson, type RequestContext } from 'portcullis/sdk';
import { readAudioPrompt, readPages, readSpoken, readTranscript } from './audio.ts';
import { readChat, readChatReply } from './chat.ts';
import { readKept } from './kept.ts';
import { readMessages, readMessagesReply } from './messages.ts';
import { readCompletions, readCompletionsReply, readEmbeddings, readImagePrompt, readRerank } from './prompts.ts';
import { nothing, type Reading, unreadable } from './reading.ts';
import { readItemList, readResponses, readResponsesReply } from './responses.ts';

type Reader = (body: JsonObject) => Reading;

const nothingToRead: Reader = () => nothing;

/** The lines of a batch are looked at one by one, as the requests that they are; other files pass unread. */
const readUpload: Reader = ({ purpose }) =>
  purpose === 'batch' ? nothing : unreadable('Bodies on uploadFile pass unread.');

interface Readers {
  readonly request: Reader | 'closed';
  readonly reply: Reader | 'closed';
}

/** Names alone, of what a provider keeps. */
const names: Readers = { request: nothingToRead, reply: nothingToRead };
const closed: Readers = { request: 'closed', reply: 'closed' };
const picture: Readers = { request: readImagePrompt, reply: nothingToRead };
const heard: Readers = { request: readAudioPrompt, reply: readTranscript };
const kept: Readers = { request: readKept, reply: readKept };

/** How the body of a request is read, and that of its reply. `closed`: bytes pass that the gateway does not read. */
const readers: Readonly<Record<Endpoint, Readers>> = {
  chatComplete: { request: readChat, reply: readChatReply },
  complete: { request: readCompletions, reply: readCompletionsReply },
  embed: { request: readEmbeddings, reply: nothingToRead },
  rerank: { request: readRerank, reply: nothingToRead },
  moderate: { request: readEmbeddings, reply: nothingToRead },
  ocr: { request: nothingToRead, reply: readPages },
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
  createBatch: names,
  listBatches: names,
  retrieveBatch: names,
  cancelBatch: names,
  getBatchOutput: names,
  createFinetune: names,
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

/** Endpoints whose requests, or whose replies, hold texts. */
export function isReadable(endpoint: Endpoint, part: 'request' | 'reply'): boolean {
  const reader = readers[endpoint][part];
  return reader !== 'closed' && reader !== nothingToRead;
}

export function readRequest({ endpoint, method }: RequestContext, body: JsonObject): Reading {
  const reader = readers[endpoint].request;
  if (reader !== 'closed') return shallow(reader, body);
  const asksNothing = (method === 'GET' || method === 'HEAD') && endpoint !== 'realtime';
  return asksNothing ? nothing : unreadable(`Bodies on ${endpoint} pass unread.`);
}

export function readReply(endpoint: Endpoint, reply: JsonObject | undefined): Reading {
  const reader = readers[endpoint].reply;
  if (reader === nothingToRead) return nothing;
  if (reader === 'closed') return unreadable(`Replies on ${endpoint} pass unread.`);
  return reply === undefined ? unreadable('The reply is no JSON object.') : shallow(reader, reply);
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

export function parsedReply(bytes: Uint8Array): JsonObject | undefined {
  return asObject(parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')));
}
