import { asArray, asObject, type Json, type JsonObject, type SpeakerRole } from 'portcullis/sdk';
import { readName } from './called-name.ts';
import { readDescriptions, readUnknown } from './descriptions.ts';
import { isTextType, isTextUrl } from './encoded-text.ts';
import { isEncoded, readFields, readLeaves, readMedium } from './leaves.ts';
import { Gathering, type JsonPath, type Reading, unreadable } from './reading.ts';
import { readReplyMembers } from './reply-members.ts';

const requestFields: ReadonlySet<string> = new Set([
  ...['system', 'messages', 'tools', 'output_config', 'output_format'],
  // Where it runs, and with which features: names and ids.
  ...['container', 'mcp_servers', 'inference_geo', 'speed', 'diagnostics', 'fallback_credit_token'],
  ...['anthropic_version', 'anthropic_beta', 'betas'],
]);
const messageFields: ReadonlySet<string> = new Set(['content']);

/** The system prompt is turn 0 where there is one; the messages follow. */
export function readMessages(body: JsonObject): Reading {
  const found = new Gathering();
  const first = body.system === undefined ? 0 : 1;
  readBlocks(found, body.system, ['system'], 'system', 0);
  asArray(body.messages).forEach((item, index) => {
    const message = asObject(item);
    const role = message?.role === 'assistant' ? 'assistant' : message?.role === 'system' ? 'system' : 'user';
    found.turn(index + first, role);
    if (message === undefined) readBlocks(found, item, ['messages', index], role, index + first);
    else {
      readBlocks(found, message.content, ['messages', index, 'content'], role, index + first);
      const speaker = { role, kind: 'text', message: index + first } as const;
      readFields(found, message, ['messages', index], speaker, messageFields);
    }
  });
  readDescriptions(found, body, [], ['mcp_servers', 'container']);
  readUnknown(found, body, requestFields);
  return found;
}

export function readMessagesReply(reply: JsonObject): Reading {
  const { content } = reply;
  if (typeof content !== 'string' && !Array.isArray(content)) return unreadable('The reply has no list of content.');
  const found = new Gathering();
  readBlocks(found, content, ['content'], 'assistant', 0);
  readReplyMembers(found, reply, replyFields);
  return found;
}

/** Why and where it ended, and where its code ran: names, ids and moments. */
const replyFields: ReadonlySet<string> = new Set([
  ...['content', 'stop_reason', 'stop_sequence', 'container', 'context_management'],
]);

function readBlocks(
  found: Gathering,
  content: Json | undefined,
  path: JsonPath,
  role: SpeakerRole,
  turn: number,
): void {
  if (typeof content === 'string') found.text(path, content, role, role === 'tool' ? 'tool-result' : 'text', turn);
  else if (Array.isArray(content))
    asArray(content).forEach((item, at) => {
      readBlocks(found, item, [...path, at], role, turn);
    });
  else if (content !== undefined && content !== null && typeof content === 'object')
    readBlock(found, content as JsonObject, path, role, turn);
}

const blockFields: ReadonlySet<string> = new Set(['name', 'thinking', 'input', 'content', 'source']);

function readBlock(found: Gathering, block: JsonObject, path: JsonPath, role: SpeakerRole, turn: number): void {
  const { thinking, input, content, source } = block;
  const speaker = { role, kind: role === 'tool' ? 'tool-result' : 'text', message: turn } as const;
  readFields(found, block, path, speaker, blockFields);
  readName(found, block.name, [...path, 'name'], { ...speaker, kind: 'tool-arguments' });
  if (thinking !== undefined) readLeaves(found, thinking, [...path, 'thinking'], { ...speaker, kind: 'thinking' });
  if (input !== undefined) found.argumentsOf([...path, 'input'], input, turn);
  if (content !== undefined) {
    const inside = String(block.type).endsWith('tool_result') ? 'tool' : role;
    readBlocks(found, content, [...path, 'content'], inside, turn);
  }
  if (typeof source === 'string') readLeaves(found, source, [...path, 'source'], speaker);
  const object = asObject(source);
  if (object !== undefined) readSource(found, block, object, path, role, turn);
}

const sourceFields: ReadonlySet<string> = new Set(['content', 'data', 'url']);

/** Where a document or an image comes from; bytes are no text, unless they are those of a text. */
function readSource(
  found: Gathering,
  block: JsonObject,
  source: JsonObject,
  path: JsonPath,
  role: SpeakerRole,
  turn: number,
): void {
  const { content, data, url } = source;
  const inside = [...path, 'source'];
  const speaker = { role, kind: role === 'tool' ? 'tool-result' : 'text', message: turn } as const;
  const isImage = block.type === 'image';
  if (isImage && typeof url === 'string') found.images.push({ path, url });
  if (isImage) readMedium(found, url, [...inside, 'url'], speaker);
  else readLeaves(found, url, [...inside, 'url'], speaker);
  if (source.type !== 'base64' || (typeof data === 'string' && !isEncoded(data)))
    readLeaves(found, data, [...inside, 'data'], speaker);
  // What says nothing of its type may be a text.
  const isText = source.type === 'base64' && isTextType(String(source.media_type ?? (isImage ? '' : 'text/plain')));
  if (isText || (!isImage && typeof url === 'string' && isTextUrl(url)))
    found.unreadable.push('A document holds an encoded text file, which no check can read.');
  readBlocks(found, content, [...inside, 'content'], role, turn);
  readFields(found, source, inside, speaker, sourceFields);
}
