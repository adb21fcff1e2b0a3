import {
  answeredLine,
  asObject,
  asString,
  type BatchLine,
  batchLineOf,
  chatReply,
  compact,
  contentRequest,
  failedLine,
  GatewayError,
  type JsonObject,
  type LineTools,
  parseJson,
} from 'portcullis/sdk';

/** A line of an uploaded batch in the form of https://ai.google.dev/gemini-api/docs/batch-api; lines that have it already stay. */
export function uploadedLine(text: string, number: number): string {
  const { line, json } = batchLineOf(text, number);
  return JSON.stringify(line === undefined ? json : { key: line.customId, request: requestOf(line, number) });
}

function requestOf({ url, body }: BatchLine, number: number): JsonObject {
  if (url.endsWith('/chat/completions')) return contentRequest(body);
  const text = asString(body.input);
  if (url.endsWith('/embeddings') && text !== undefined) {
    const { dimensions: outputDimensionality, task_type: taskType, title } = body;
    return compact({ content: { parts: [{ text }] }, outputDimensionality, taskType, title });
  }
  const why = url.endsWith('/embeddings') ? 'needs input: one text' : `is for ${url}, which has no batches here`;
  throw new GatewayError('bad_request', `Line ${number} of the file ${why}.`, { param: 'file' });
}

/** A line of a batch's output in OpenAI's form. Lines of anything else stay. */
export function outputLine(text: string, tools: LineTools): string {
  const json = asObject(parseJson(text));
  if (json === undefined || (json.response === undefined && json.error === undefined)) return text;
  const customId = json.key ?? null;
  const response = asObject(json.response);
  if (response === undefined) return JSON.stringify(failedLine(customId, asObject(json.error) ?? {}, tools));
  const embedding = asObject(response.embedding)?.values;
  const body =
    embedding === undefined
      ? chatReply('gemini', response, asString(response.modelVersion) ?? '', tools)
      : { object: 'list', data: [{ object: 'embedding', index: 0, embedding }] };
  return JSON.stringify(answeredLine(customId, body, tools));
}
