import { asArray, asObject, type Json, type JsonObject, type SpeakerRole } from 'portcullis/sdk';
import { readName } from './called-name.ts';
import { readData } from './data.ts';
import { readDescriptions, readUnknown } from './descriptions.ts';
import { readLeaves } from './leaves.ts';
import { readParts } from './parts.ts';
import { Gathering, type JsonPath, type Reading, type Speaker, unreadable } from './reading.ts';
import { readChoiceMembers, readMembers, readReplyMembers } from './reply-members.ts';

const roles: ReadonlyMap<unknown, SpeakerRole> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

const requestFields: ReadonlySet<string> = new Set([
  ...['messages', 'prediction', 'documents', 'tools', 'functions', 'response_format'],
]);

export function readChat(body: JsonObject): Reading {
  const found = new Gathering();
  asArray(body.messages).forEach((item, index) => {
    const message = asObject(item);
    const role = roles.get(message?.role) ?? 'user';
    found.turn(index, role);
    if (message === undefined) readLeaves(found, item, ['messages', index], { role, kind: 'text', message: index });
    else readMessage(found, message, ['messages', index], role, index);
  });
  readLeaves(found, body.prediction, ['prediction'], { role: 'assistant', kind: 'text', message: -1 });
  // What some providers are to answer from.
  if (body.documents !== undefined)
    readData(found, body.documents, ['documents'], { role: 'tool', kind: 'tool-result', message: -1 });
  readDescriptions(found, body);
  readUnknown(found, body, requestFields);
  return found;
}

/** A reply that is one message, and not a list of choices. */
export function readMessageReply(reply: JsonObject): Reading {
  const message = asObject(reply.message);
  if (message === undefined || !isContent(message.content)) return unreadable('The reply has no message.');
  const found = new Gathering();
  readMessage(found, message, ['message'], 'assistant', 0);
  readReplyMembers(found, reply, messageReplyFields);
  return found;
}

export function readChatReply(reply: JsonObject): Reading {
  if (!Array.isArray(reply.choices)) return unreadable('The reply has no list of choices.');
  const found = new Gathering();
  asArray(reply.choices).forEach((item, index) => {
    const choice = asObject(item);
    const message = asObject(choice?.message);
    if (message !== undefined) readMessage(found, message, ['choices', index, 'message'], 'assistant', index);
    const { content } = message ?? {};
    if (message === undefined ? choice?.text === undefined : !isContent(content))
      found.unreadable.push(`Choice ${index} of the reply is of an unknown form.`);
    if (choice === undefined) return;
    const speaker: Speaker = { role: 'assistant', kind: 'text', message: index };
    if (message === undefined) readLeaves(found, choice.message, ['choices', index, 'message'], speaker);
    readChoiceMembers(found, choice, ['choices', index], index, choiceFields);
  });
  readReplyMembers(found, reply, replyFields);
  return found;
}

const replyFields: ReadonlySet<string> = new Set(['choices']);
const choiceFields: ReadonlySet<string> = new Set(['message']);
/** What a reply that is one message says of itself. */
const messageReplyFields: ReadonlySet<string> = new Set([
  'message',
  'finish_reason',
  'meta',
  'generation_id',
  'response_id',
]);

function isContent(content: Json | undefined): boolean {
  return content === undefined || content === null || typeof content === 'string' || Array.isArray(content);
}

const thoughts = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking'] as const;
/** What stands beside a content in a form of its own, in which ids and types are no texts. */
const companions = ['annotations', 'audio', 'images', 'citations'] as const;

const messageFields: ReadonlySet<string> = new Set([
  'content',
  'content_blocks',
  'tool_calls',
  'function_call',
  'refusal',
  'name',
  ...thoughts,
  ...companions,
]);

function readMessage(found: Gathering, message: JsonObject, path: JsonPath, role: SpeakerRole, index: number): void {
  const kind = role === 'tool' ? 'tool-result' : 'text';
  readContent(found, message.content, [...path, 'content'], { role, kind, message: index });
  if (onlySpeaks(message)) return;
  readCalls(found, message, path, index);
  const reads = (field: string, as: Speaker['kind']) => {
    if (message[field] !== undefined)
      readLeaves(found, message[field], [...path, field], { role, kind: as, message: index });
  };
  reads('refusal', 'refusal');
  for (const field of thoughts) reads(field, 'thinking');
  // Where it is there, providers get it in the place of the content.
  readContent(found, message.content_blocks, [...path, 'content_blocks'], { role, kind, message: index });
  for (const field of companions) reads(field, kind);
  readMembers(found, message, path, { role, kind, message: index }, messageFields);
  // That of a result is the name of its tool.
  if (role === 'tool') readName(found, message.name, [...path, 'name'], { role, kind, message: index });
  else reads('name', kind);
}

/** Most messages have nothing beside their content. */
function onlySpeaks(message: JsonObject): boolean {
  for (const field in message) if (field !== 'role' && field !== 'content') return false;
  return true;
}

/** Fields of a part whose texts are of a kind of their own. */
const partKinds = ['refusal', 'thinking'] as const;

function readContent(found: Gathering, content: Json | undefined, path: JsonPath, speaker: Speaker): void {
  if (!Array.isArray(content)) {
    if (content !== undefined) readLeaves(found, content, path, speaker);
    return;
  }
  readParts(found, asArray(content), path, speaker, partKinds);
}

function readCalls(found: Gathering, message: JsonObject, path: JsonPath, index: number): void {
  const speaker: Speaker = { role: 'assistant', kind: 'tool-arguments', message: index };
  const called = (value: Json | undefined, at: JsonPath) => {
    const tool = asObject(value);
    if (tool === undefined) readLeaves(found, value, at, speaker);
    else {
      readName(found, tool.name, [...at, 'name'], speaker);
      for (const field of argumentFields) readArguments(found, tool[field], [...at, field], speaker);
      readMembers(found, tool, at, speaker, toolFields);
    }
  };
  const calls = message.tool_calls;
  if (!Array.isArray(calls)) readLeaves(found, calls, [...path, 'tool_calls'], speaker);
  asArray(calls).forEach((item, at) => {
    const place = [...path, 'tool_calls', at];
    const call = asObject(item);
    if (call === undefined) readLeaves(found, item, place, speaker);
    else {
      for (const field of callFields) called(call[field], [...place, field]);
      readMembers(found, call, place, speaker, callFields);
    }
  });
  called(message.function_call, [...path, 'function_call']);
}

const callFields: ReadonlySet<string> = new Set(['function', 'custom']);
const argumentFields = ['arguments', 'input'] as const;
const toolFields: ReadonlySet<string> = new Set(['name', ...argumentFields]);

function readArguments(found: Gathering, value: Json | undefined, path: JsonPath, speaker: Speaker): void {
  if (Array.isArray(value)) readLeaves(found, value, path, speaker);
  else found.argumentsOf(path, value, speaker.message);
}
