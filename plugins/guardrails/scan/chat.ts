import { asArray, asObject, type Json, type JsonObject, type SpeakerRole } from 'portcullis/sdk';
import { Gathering, type JsonPath, type Reading } from './reading.ts';

const roles: Readonly<Record<string, SpeakerRole>> = {
  system: 'system',
  developer: 'system',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

export function readChat(body: JsonObject): Reading {
  const found = new Gathering();
  asArray(body.messages).forEach((item, index) => {
    const message = asObject(item);
    if (message === undefined) return;
    const role = roles[String(message.role)] ?? 'user';
    found.turns = index + 1;
    readMessage(found, message, ['messages', index], role, index);
  });
  return found;
}

export function readChatReply(reply: JsonObject): Reading {
  const found = new Gathering();
  asArray(reply.choices).forEach((item, index) => {
    const message = asObject(asObject(item)?.message);
    if (message === undefined) return;
    const path = ['choices', index, 'message'];
    readMessage(found, message, path, 'assistant', index);
    const transcript = asObject(message.audio)?.transcript;
    if (typeof transcript === 'string')
      found.text([...path, 'audio', 'transcript'], transcript, 'assistant', 'text', index);
  });
  return found;
}

function readMessage(found: Gathering, message: JsonObject, path: JsonPath, role: SpeakerRole, index: number): void {
  readContent(found, message.content, [...path, 'content'], role, index);
  readCalls(found, message, path, index);
  if (typeof message.refusal === 'string') found.text([...path, 'refusal'], message.refusal, role, 'refusal', index);
  for (const field of ['reasoning_content', 'reasoning'])
    if (typeof message[field] === 'string') found.text([...path, field], message[field], role, 'thinking', index);
  // Where it is there, providers get it in the place of the content.
  readContent(found, message.content_blocks, [...path, 'content_blocks'], role, index);
}

function readContent(
  found: Gathering,
  content: Json | undefined,
  path: JsonPath,
  role: SpeakerRole,
  index: number,
): void {
  const kind = role === 'tool' ? 'tool-result' : 'text';
  if (typeof content === 'string') {
    found.text(path, content, role, kind, index);
    return;
  }
  asArray(content).forEach((item, at) => {
    if (typeof item === 'string') found.text([...path, at], item, role, kind, index);
    const part = asObject(item);
    if (part === undefined) return;
    if (typeof part.text === 'string') found.text([...path, at, 'text'], part.text, role, kind, index);
    if (typeof part.refusal === 'string') found.text([...path, at, 'refusal'], part.refusal, role, 'refusal', index);
    if (typeof part.thinking === 'string')
      found.text([...path, at, 'thinking'], part.thinking, role, 'thinking', index);
    const url = asObject(part.image_url)?.url ?? part.image_url;
    if (typeof url === 'string') found.images.push({ path: [...path, at], url });
  });
}

function readCalls(found: Gathering, message: JsonObject, path: JsonPath, index: number): void {
  const given = (value: Json | undefined, at: JsonPath) => found.argumentsOf(at, value, index);
  asArray(message.tool_calls).forEach((item, at) => {
    const call = asObject(item);
    given(asObject(call?.function)?.arguments, [...path, 'tool_calls', at, 'function', 'arguments']);
    given(asObject(call?.custom)?.input, [...path, 'tool_calls', at, 'custom', 'input']);
  });
  given(asObject(message.function_call)?.arguments, [...path, 'function_call', 'arguments']);
}
