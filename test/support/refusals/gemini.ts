import { asObject, asObjects, asString, type JsonObject } from 'portcullis/sdk';
import { firstOf, invalid, type Refusal, type Refuse, unknownField } from './refusal.ts';

const known = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'safetySettings', 'generationConfig', 'cachedContent'],
  ...['labels', 'serviceTier', 'store'],
]);
const configFields = new Set([
  ...['stopSequences', 'responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities'],
  ...[
    'candidateCount',
    'maxOutputTokens',
    'temperature',
    'topP',
    'topK',
    'seed',
    'presencePenalty',
    'frequencyPenalty',
  ],
  ...[
    'responseLogprobs',
    'logprobs',
    'enableEnhancedCivicAnswers',
    'speechConfig',
    'thinkingConfig',
    'imageConfig',
    'mediaResolution',
  ],
]);
/** Exactly one of these makes a part. */
const payloads = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];

/** What `generateContent` refuses. */
export const refuseGemini: Refuse = (body, headers) =>
  firstOf(
    () =>
      headers['x-goog-api-key'] === undefined
        ? { status: 403, message: "Method doesn't allow unregistered callers (callers without established identity)." }
        : undefined,
    () => unknownName(body, known, ''),
    () => unknownName(asObject(body.generationConfig) ?? {}, configFields, " at 'generation_config'"),
    () =>
      asObjects(body.contents).length > 0
        ? undefined
        : invalid('* GenerateContentRequest.contents: contents is not specified'),
    () => refuseContents(asObjects(body.contents)),
  );

function unknownName(object: JsonObject, names: ReadonlySet<string>, at: string): Refusal | undefined {
  const field = unknownField(object, names);
  return field === undefined
    ? undefined
    : invalid(`Invalid JSON payload received. Unknown name "${field}"${at}: Cannot find field.`);
}

function refuseContents(contents: readonly JsonObject[]): Refusal | undefined {
  let calls: readonly JsonObject[] = [];
  for (const [index, content] of contents.entries()) {
    const role = content.role ?? 'user';
    if (role !== 'user' && role !== 'model') return invalid('Please use a valid role: user, model.');
    const parts = asObjects(content.parts);
    if (parts.length === 0)
      return invalid(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`);
    const shapeless = parts.find((part) => payloads.filter((name) => part[name] !== undefined).length !== 1);
    if (shapeless !== undefined)
      return invalid(`contents[${index}].parts: required oneof field 'data' must have one initialized field`);
    const responses = asObjects(parts.map((part) => part.functionResponse));
    const refusal = refuseResponses(calls, responses);
    if (refusal !== undefined) return refusal;
    const called = parts.filter((part) => part.functionCall !== undefined);
    if (called.length > 0 && !asString(called[0]?.thoughtSignature)) {
      return invalid(`Function call is missing a thought_signature in functionCall parts. contents[${index}]`);
    }
    calls = asObjects(called.map((part) => part.functionCall));
  }
  return undefined;
}

function refuseResponses(calls: readonly JsonObject[], responses: readonly JsonObject[]): Refusal | undefined {
  if (responses.length !== calls.length) {
    return invalid(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    );
  }
  const shapeless = responses.find((response) => asObject(response.response) === undefined);
  if (shapeless !== undefined) return invalid("Invalid value at 'function_response.response': must be a struct.");
  const names = (list: readonly JsonObject[]) =>
    list
      .map((entry) => String(entry.name))
      .toSorted()
      .join();
  return names(calls) === names(responses)
    ? undefined
    : invalid('Please ensure that function response name matches the function call name.');
}
