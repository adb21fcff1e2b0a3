import { asObject, type Endpoint, type JsonObject, parseJson, type RequestContext } from 'portcullis/sdk';
import { readChat, readChatReply } from './chat.ts';
import { readMessages, readMessagesReply } from './messages.ts';
import { readCompletions, readCompletionsReply, readEmbeddings, readImagePrompt, readRerank } from './prompts.ts';
import { nothing, type Reading, unreadable } from './reading.ts';
import { readItemList, readResponses, readResponsesReply } from './responses.ts';

type Reader = (body: JsonObject) => Reading;

const nothingToRead: Reader = () => nothing;

/** How the body of a request is read, and that of its reply. `closed`: bytes pass that the gateway does not read. */
const readers: Readonly<Record<Endpoint, { readonly request: Reader | 'closed'; readonly reply: Reader | 'closed' }>> =
  {
    chatComplete: { request: readChat, reply: readChatReply },
    complete: { request: readCompletions, reply: readCompletionsReply },
    embed: { request: readEmbeddings, reply: nothingToRead },
    rerank: { request: readRerank, reply: nothingToRead },
    imageGenerate: { request: readImagePrompt, reply: nothingToRead },
    messages: { request: readMessages, reply: readMessagesReply },
    messagesCountTokens: { request: readMessages, reply: nothingToRead },
    createModelResponse: { request: readResponses, reply: readResponsesReply },
    getModelResponse: { request: nothingToRead, reply: readResponsesReply },
    deleteModelResponse: { request: nothingToRead, reply: nothingToRead },
    listResponseInputItems: { request: nothingToRead, reply: readItemList },
    listModels: { request: nothingToRead, reply: nothingToRead },
    promptComplete: { request: 'closed', reply: 'closed' },
    proxy: { request: 'closed', reply: 'closed' },
  };

/** Endpoints whose requests, or whose replies, hold texts. */
export function isReadable(endpoint: Endpoint, part: 'request' | 'reply'): boolean {
  const reader = readers[endpoint][part];
  return reader !== 'closed' && reader !== nothingToRead;
}

export function readRequest({ endpoint, method }: RequestContext, body: JsonObject): Reading {
  const reader = readers[endpoint].request;
  if (reader !== 'closed') return shallow(reader, body);
  return method === 'GET' || method === 'HEAD' ? nothing : unreadable(`Bodies on ${endpoint} pass unread.`);
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
