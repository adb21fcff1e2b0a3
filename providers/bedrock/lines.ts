import {
  answeredLine,
  asNumber,
  asObject,
  asString,
  type BatchLine,
  batchLineOf,
  compact,
  dialects,
  failedLine,
  GatewayError,
  type Json,
  type JsonObject,
  type LineTools,
  parseJson,
  type Settings,
} from 'portcullis/sdk';
import { ofFamily } from './converse.ts';
import { embeddingInput, vectorIn } from './embeddings.ts';
import { askedModel } from './names.ts';

/**
 * A line of an uploaded file as the platform reads it: `{ recordId, modelInput }`, with a Converse request for chats and
 * messages of every model. Lines that are in that form already stay.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-data.html
 * @param model of the settings; else each line's own
 */
export function uploadedLine(text: string, number: number, model: string | undefined, settings: Settings): string {
  const { line, json } = batchLineOf(text, number);
  if (line === undefined) return JSON.stringify(json);
  const asked = model ?? asString(line.body.model) ?? '';
  const url = asString(json.url) ?? asString(settings.providerBatchEndpoint) ?? line.url;
  return JSON.stringify(
    compact({ recordId: line.customId || undefined, modelInput: inputOf({ ...line, url }, asked, number, settings) }),
  );
}

function inputOf({ url, body }: BatchLine, model: string, number: number, settings: Settings): JsonObject {
  if (url.endsWith('/embeddings')) return embeddingInput(askedModel({ model, settings }), body);
  const client = clientOf(url);
  if (client === undefined) {
    throw new GatewayError('bad_request', `Line ${number} of the file is for ${url}, which has no batches here.`, {
      param: 'file',
    });
  }
  const context = { strict: false, dropped: () => {} };
  const request = dialects.converse.encodeCall(client.decodeCall({ ...body, model }, context), context);
  return ofFamily(request, { settings, model, endpoint: 'chatComplete', stream: false, params: {}, query: {} });
}

function clientOf(url: string) {
  if (url.endsWith('/chat/completions')) return dialects.chat;
  if (url.endsWith('/messages')) return dialects.messages;
  return url.endsWith('/responses') ? dialects.responses : undefined;
}

/** A line of a batch's output in OpenAI's form. Lines of anything else stay. */
export function outputLine(text: string, model: string, tools: LineTools): string {
  const json = asObject(parseJson(text));
  if (json === undefined || (json.modelOutput === undefined && json.error === undefined)) return text;
  const id: Json = json.recordId ?? null;
  const output = asObject(json.modelOutput);
  if (output === undefined) return JSON.stringify(failedLine(id, faultIn(json), tools));
  return JSON.stringify(answeredLine(id, replyOf(output, model, tools), tools));
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-results.html */
function faultIn({ error }: JsonObject): JsonObject {
  const { errorCode, errorMessage } = asObject(error) ?? {};
  return compact({ code: asNumber(Number(errorCode)), message: errorMessage ?? 'The request has failed.' });
}

function replyOf(output: JsonObject, model: string, { newId, nowSeconds }: LineTools): JsonObject {
  const context = { strict: false, dropped: () => {}, request: { model }, newId, nowSeconds };
  const { chat, converse, messages } = dialects;
  if (asObject(output.output)?.message !== undefined)
    return chat.encodeReply(converse.decodeReply(output, context), context);
  if (output.type === 'message') return chat.encodeReply(messages.decodeReply(output, context), context);
  if (output.embedding === undefined && output.embeddings === undefined) return output;
  const tokens = asNumber(output.inputTextTokenCount) ?? 0;
  return {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: vectorIn(output) }],
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
