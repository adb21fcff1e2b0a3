import { asArray, asObject, type Json, type JsonObject, type SpeakerRole } from 'portcullis/sdk';
import { Gathering, type JsonPath, type Reading } from './reading.ts';

/** The system prompt is turn 0 where there is one; the messages follow. */
export function readMessages(body: JsonObject): Reading {
  const found = new Gathering();
  const first = body.system === undefined ? 0 : 1;
  readBlocks(found, body.system, ['system'], 'system', 0);
  asArray(body.messages).forEach((item, index) => {
    const message = asObject(item);
    if (message === undefined) return;
    const role = message.role === 'assistant' ? 'assistant' : message.role === 'system' ? 'system' : 'user';
    found.turns = index + first + 1;
    readBlocks(found, message.content, ['messages', index, 'content'], role, index + first);
  });
  return found;
}

export function readMessagesReply(reply: JsonObject): Reading {
  const found = new Gathering();
  readBlocks(found, reply.content, ['content'], 'assistant', 0);
  return found;
}

function readBlocks(
  found: Gathering,
  content: Json | undefined,
  path: JsonPath,
  role: SpeakerRole,
  turn: number,
): void {
  if (typeof content === 'string') {
    found.text(path, content, role, role === 'tool' ? 'tool-result' : 'text', turn);
    return;
  }
  asArray(content).forEach((item, at) => {
    const block = asObject(item);
    if (block !== undefined) readBlock(found, block, [...path, at], role, turn);
  });
}

function readBlock(found: Gathering, block: JsonObject, path: JsonPath, role: SpeakerRole, turn: number): void {
  const kind = role === 'tool' ? 'tool-result' : 'text';
  if (typeof block.text === 'string') found.text([...path, 'text'], block.text, role, kind, turn);
  if (typeof block.thinking === 'string') found.text([...path, 'thinking'], block.thinking, role, 'thinking', turn);
  found.argumentsOf([...path, 'input'], block.input, turn);
  const inside = String(block.type).endsWith('tool_result')
    ? 'tool'
    : block.type === 'search_result'
      ? role
      : undefined;
  if (inside !== undefined) readBlocks(found, block.content, [...path, 'content'], inside, turn);
  const source = asObject(block.source);
  if (block.type === 'image' && typeof source?.url === 'string') found.images.push({ path, url: source.url });
  if (block.type !== 'document' || source === undefined) return;
  for (const field of ['title', 'context'])
    if (typeof block[field] === 'string') found.text([...path, field], block[field], role, kind, turn);
  if (source.type === 'text' && typeof source.data === 'string')
    found.text([...path, 'source', 'data'], source.data, role, kind, turn);
  if (source.type === 'content') readBlocks(found, source.content, [...path, 'source', 'content'], role, turn);
}
