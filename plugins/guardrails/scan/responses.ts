import { asArray, asObject, type Json, type JsonObject, type SpeakerRole } from 'portcullis/sdk';
import { Gathering, type JsonPath, type Reading } from './reading.ts';

const roles: Readonly<Record<string, SpeakerRole>> = { system: 'system', developer: 'system', assistant: 'assistant' };

/** Turns are the instructions, then the variables of a stored prompt, then each item; what is not there is none. */
export function readResponses(body: JsonObject): Reading {
  const found = new Gathering();
  if (typeof body.instructions === 'string') found.text(['instructions'], body.instructions, 'system', 'text', 0);
  readVariables(found, asObject(asObject(body.prompt)?.variables) ?? {}, ['prompt', 'variables'], found.turns);
  if (typeof body.input === 'string') found.text(['input'], body.input, 'user', 'text', found.turns);
  else readItems(found, body.input, ['input'], found.turns);
  return found;
}

function readVariables(found: Gathering, variables: JsonObject, path: JsonPath, turn: number): void {
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value === 'string') found.text([...path, name], value, 'user', 'text', turn);
    const text = asObject(value)?.text;
    if (typeof text === 'string') found.text([...path, name, 'text'], text, 'user', 'text', turn);
  }
}

/** All that the model says is one answer: choice 0. */
export function readResponsesReply(reply: JsonObject): Reading {
  const found = new Gathering();
  asArray(reply.output).forEach((item, index) => {
    const entry = asObject(item);
    if (entry !== undefined) readItem(found, entry, ['output', index], 0, 'assistant');
  });
  if (typeof reply.output_text === 'string') found.text(['output_text'], reply.output_text, 'assistant', 'text', 0);
  return found;
}

/** A list of input items, as the provider has stored them. */
export function readItemList(reply: JsonObject): Reading {
  const found = new Gathering();
  readItems(found, reply.data, ['data'], 0);
  return found;
}

function readItems(found: Gathering, items: Json | undefined, path: JsonPath, first: number): void {
  asArray(items).forEach((item, index) => {
    const entry = asObject(item);
    if (entry === undefined) return;
    found.turns = first + index + 1;
    readItem(found, entry, [...path, index], first + index, roles[String(entry.role)] ?? 'user');
  });
}

/** Items of tools that the provider runs itself (search, computer) hold no text of the user. */
function readItem(found: Gathering, item: JsonObject, path: JsonPath, turn: number, role: SpeakerRole): void {
  for (const field of ['arguments', 'input']) found.argumentsOf([...path, field], item[field], turn);
  found.resultOf([...path, 'output'], item.output, turn);
  readParts(found, item.output, [...path, 'output'], 'tool', turn);
  if (typeof item.content === 'string') found.text([...path, 'content'], item.content, role, 'text', turn);
  if (item.type === 'reasoning') {
    readThoughts(found, item.summary, [...path, 'summary'], turn);
    readThoughts(found, item.content, [...path, 'content'], turn);
  } else readParts(found, item.content, [...path, 'content'], role, turn);
}

function readThoughts(found: Gathering, thoughts: Json | undefined, path: JsonPath, turn: number): void {
  asArray(thoughts).forEach((item, at) => {
    const text = asObject(item)?.text;
    if (typeof text === 'string') found.text([...path, at, 'text'], text, 'assistant', 'thinking', turn);
  });
}

function readParts(found: Gathering, parts: Json | undefined, path: JsonPath, role: SpeakerRole, turn: number): void {
  const kind = role === 'tool' ? 'tool-result' : 'text';
  asArray(parts).forEach((item, at) => {
    if (typeof item === 'string') found.text([...path, at], item, role, kind, turn);
    const part = asObject(item);
    if (part === undefined) return;
    if (typeof part.text === 'string') found.text([...path, at, 'text'], part.text, role, kind, turn);
    if (typeof part.refusal === 'string') found.text([...path, at, 'refusal'], part.refusal, role, 'refusal', turn);
    const url = asObject(part.image_url)?.url ?? part.image_url;
    if (typeof url === 'string') found.images.push({ path: [...path, at], url });
  });
}
