import {
  answeredLine,
  asNumber,
  asObject,
  asObjects,
  asString,
  type BatchLine,
  batchLineOf,
  chatReply,
  compact,
  contentRequest,
  dialects,
  failedLine,
  GatewayError,
  type Json,
  type JsonObject,
  type LineTools,
  parseJson,
  type Settings,
} from 'portcullis/sdk';
import { messageBody } from './claude.ts';
import { familyOf, openName } from './names.ts';

/** Files of these purposes hold lines for a model. */
export const holdsLines = (purpose: string) => purpose === 'batch' || purpose === 'fine-tune';

/**
 * A line of an uploaded file as the models of its family read it. Lines that are in that form already stay.
 * @param model of the settings; else each line's own
 */
export function uploadedLine(text: string, number: number, model: string | undefined, settings: Settings): string {
  const { line, json } = batchLineOf(text, number, asString(settings.providerBatchEndpoint));
  if (line === undefined) return JSON.stringify(json.messages === undefined ? json : exampleOf(json));
  const asked = model ?? asString(line.body.model) ?? '';
  switch (familyOf(asked)) {
    case 'claude':
      return JSON.stringify({ custom_id: line.customId, request: claudeRequest(line, asked, number, settings) });
    case 'open':
      return JSON.stringify({ ...json, body: { ...line.body, model: openName(asked) } });
    default:
      return JSON.stringify(googleLine(line, number));
  }
}

/** `{ messages }` as an example to learn from: https://cloud.google.com/vertex-ai/generative-ai/docs/models/gemini-supervised-tuning-prepare */
const exampleOf = (json: JsonObject): JsonObject => contentRequest(json);

function claudeRequest({ url, body }: BatchLine, model: string, number: number, settings: Settings): JsonObject {
  if (url.endsWith('/messages')) return messageBody({ ...body, model }, settings);
  if (!url.endsWith('/chat/completions')) throw unsupported(url, number);
  const context = { strict: false, dropped: () => {} };
  return messageBody(
    dialects.messages.encodeCall(dialects.chat.decodeCall({ ...body, model }, context), context),
    settings,
  );
}

function googleLine({ customId, url, body }: BatchLine, number: number): JsonObject {
  if (url.endsWith('/embeddings')) return embeddingLine(customId, body, number);
  if (!url.endsWith('/chat/completions')) throw unsupported(url, number);
  const request = contentRequest(body);
  return { request: { ...request, labels: { ...asObject(request.labels), ...labelsFor(customId) } } };
}

function embeddingLine(customId: string, body: JsonObject, number: number): JsonObject {
  const content = asString(body.input);
  const refused =
    content === undefined ? 'needs input: one text' : 'may name no dimensions, which are one for the whole batch';
  if (content === undefined || body.dimensions !== undefined)
    throw new GatewayError('bad_request', `Line ${number} of the file ${refused}.`, { param: 'file' });
  return compact({ content, custom_id: customId, task_type: body.task_type, title: body.title });
}

function unsupported(url: string, number: number): GatewayError {
  return new GatewayError('bad_request', `Line ${number} of the file is for ${url}, which has no batches here.`, {
    param: 'file',
  });
}

const plain = /^[a-z0-9_-]{1,63}$/;
const label = 'custom_id';
/** Characters of hexadecimal digits in one label. */
const chunk = 62;

/**
 * Labels are the only thing of a line that comes back with its answer besides the question, and hold little: an id of
 * other characters is spread over several, as hexadecimal digits.
 */
function labelsFor(customId: string): JsonObject {
  if (plain.test(customId)) return { [label]: customId };
  const digits =
    Buffer.from(customId, 'utf8')
      .toString('hex')
      .match(new RegExp(`.{1,${chunk}}`, 'g')) ?? [];
  return Object.fromEntries(digits.map((part, place) => [`${label}_${place}`, part]));
}

function customIdOf(json: JsonObject): Json {
  const given = json.custom_id ?? asObject(json.instance)?.custom_id;
  if (given !== undefined) return given;
  const labels = asObject(asObject(json.request)?.labels) ?? {};
  const digits: string[] = [];
  for (
    let part = asString(labels[`${label}_0`]);
    part !== undefined;
    part = asString(labels[`${label}_${digits.length}`])
  ) {
    digits.push(part);
  }
  return labels[label] ?? (digits.length === 0 ? null : Buffer.from(digits.join(''), 'hex').toString('utf8'));
}

/** A line of a batch's output in OpenAI's form. Lines of anything else stay. */
export function outputLine(text: string, tools: LineTools): string {
  const json = asObject(parseJson(text));
  const isAnswer =
    json !== undefined && (json.response !== undefined || json.predictions !== undefined || json.status !== undefined);
  if (!isAnswer || asObject(json.response)?.status_code !== undefined) return text;
  return JSON.stringify(answered(json, tools));
}

function answered(json: JsonObject, tools: LineTools): JsonObject {
  const customId = customIdOf(json);
  const response = asObject(json.response) ?? {};
  const model = asString(asObject(json.request)?.model) ?? '';
  if (json.predictions !== undefined) return answeredLine(customId, embedded(json), tools);
  if (response.candidates !== undefined || response.promptFeedback !== undefined)
    return answeredLine(customId, chatReply('gemini', response, model, tools), tools);
  if (response.type === 'message') return answeredLine(customId, chatReply('messages', response, model, tools), tools);
  if (response.choices !== undefined) return answeredLine(customId, response, tools);
  return failedLine(customId, errorOf(json, response), tools);
}

/** `status` is a text: `Bad Request: {"error": {...}}`, or an object. */
function errorOf({ status, error }: JsonObject, response: JsonObject): JsonObject {
  const inside = asObject(response.error) ?? asObject(error) ?? asObject(status);
  if (inside !== undefined) return inside;
  const text = asString(status) ?? '';
  const json = asObject(parseJson(text.slice(text.indexOf('{'))));
  return asObject(json?.error) ?? { message: text === '' ? 'The request has failed.' : text };
}

function embedded({ predictions }: JsonObject): JsonObject {
  const found = asObjects(predictions).map(({ embeddings }) => asObject(embeddings) ?? {});
  const tokens = found.reduce((sum, { statistics }) => sum + (asNumber(asObject(statistics)?.token_count) ?? 0), 0);
  return {
    object: 'list',
    data: found.map(({ values }, index) => ({ object: 'embedding', index, embedding: values ?? [] })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
