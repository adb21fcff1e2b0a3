import { asArray, asObject, asObjects, asString, type Json, type JsonObject, omit } from 'portcullis/sdk';

/** Fields of messages that other servers send or understand; Mistral answers them with 422. */
const foreign = [
  'refusal',
  'reasoning_content',
  'reasoning',
  'content_blocks',
  'annotations',
  'audio',
  'function_call',
];
const ofTools: ReadonlySet<string> = new Set(foreign);
const ofSpeakers: ReadonlySet<string> = new Set([...foreign, 'name']);

/** Messages as Mistral takes them: without fields that it refuses, developer messages as system messages. */
export function withoutRefused(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  const accepted = messages.map(acceptedMessage);
  return accepted.every((message, index) => message === messages[index]) ? body : { ...body, messages: accepted };
}

function acceptedMessage(message: JsonObject): JsonObject {
  const refused = message.role === 'tool' ? ofTools : ofSpeakers;
  const kept = Object.keys(message).some((field) => refused.has(field)) ? omit(message, refused) : message;
  return kept.role === 'developer' ? { ...kept, role: 'system' } : kept;
}

/** There is no endpoint for text completions: a prompt is sent as the user's message. */
export function fromPrompt(body: JsonObject): JsonObject {
  const { prompt, ...rest } = body;
  const [only, ...more] = asArray(prompt);
  const text = more.length === 0 && only !== undefined ? only : prompt;
  return typeof text === 'string' ? { ...rest, messages: [{ role: 'user', content: text }] } : body;
}

/** Brings the chat-shaped replies and events of both endpoints into the form of text completions. */
export function toText(json: JsonObject): JsonObject {
  const choices = asObjects(json.choices);
  if (choices.length === 0) return json;
  return {
    ...json,
    choices: choices.map(({ message, delta, ...choice }) => ({
      ...choice,
      text: textOf((asObject(message) ?? asObject(delta))?.content),
    })),
  };
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .map((part) => asString(part.text) ?? '')
    .join('');
}

/** Validation errors come as a list, bare or inside `message`: each becomes a sentence that names its field. */
export function explained(json: JsonObject): JsonObject {
  const details = [json.detail, asObject(json.message)?.detail, json.message]
    .map(asObjects)
    .find((list) => list.length > 0);
  if (details === undefined) return json;
  const message = details
    .map((detail) => `${asArray(detail.loc).join('.')}: ${asString(detail.msg) ?? 'is not valid'}`)
    .join('; ');
  return { ...json, object: 'error', message, type: asString(json.type) ?? 'invalid_request_error' };
}
