import { asArray, asObject, type Edit, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { addToContents } from './add-to-contents.ts';

export type MessageEdit = Extract<Edit, { message: string }>;

/**
 * The request with a text added to the first message of a role.
 * @throws GatewayError `check_failed` where there are no messages to add to
 */
export function addToMessage(
  body: JsonObject,
  edit: MessageEdit,
  { dialect, part }: { readonly dialect: string | undefined; readonly part: 'request' | 'reply' },
): JsonObject {
  if (part === 'request') {
    if (dialect === 'chat' || dialect === 'cohere') return inList(body, 'messages', edit, 'text');
    if (dialect === 'messages')
      return edit.message === 'system' ? inSystem(body, edit) : inList(body, 'messages', edit, 'text');
    if (dialect === 'responses') return inResponses(body, edit);
    if (dialect === 'gemini') return addToContents(body, edit);
    if (dialect === 'completions' && body.prompt !== undefined) return { ...body, prompt: inPrompt(body.prompt, edit) };
  }
  throw noMessages();
}

function noMessages(): GatewayError {
  return new GatewayError('check_failed', 'A check wants to add to a message, and there are none here.');
}

/** Each prompt of a list is answered by itself. */
function inPrompt(prompt: Json, edit: MessageEdit): Json {
  if (typeof prompt === 'string') return around(prompt, edit);
  if (!Array.isArray(prompt) || prompt.length === 0) throw noMessages();
  return prompt.map((each) => {
    if (typeof each === 'string') return around(each, edit);
    throw noMessages();
  });
}

function around(text: string, { at, add }: MessageEdit): string {
  return at === 'start' ? add + text : text + add;
}

function inSystem(body: JsonObject, edit: MessageEdit): JsonObject {
  if (body.system === undefined || body.system === null)
    return edit.create === false ? body : { ...body, system: edit.add };
  const system = edit.apart === true ? apart(body.system, edit) : inContent(body.system, edit, 'text');
  return { ...body, system };
}

/** A system prompt has no second message: what stands apart is a block of its own. */
function apart(system: Json, { at, add }: MessageEdit): Json {
  const own = { type: 'text', text: add };
  const blocks = typeof system === 'string' ? [{ type: 'text', text: system }] : asArray(system);
  return at === 'start' ? [own, ...blocks] : [...blocks, own];
}

function inResponses(body: JsonObject, edit: MessageEdit): JsonObject {
  if (edit.message === 'system') {
    const { instructions } = body;
    if (typeof instructions !== 'string') return edit.create === false ? body : { ...body, instructions: edit.add };
    const line = edit.apart === true ? { ...edit, add: edit.at === 'start' ? `${edit.add}\n` : `\n${edit.add}` } : edit;
    return { ...body, instructions: around(instructions, line) };
  }
  if (edit.message === 'user' && typeof body.input === 'string' && edit.apart !== true)
    return { ...body, input: around(body.input, edit) };
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  return inList({ ...body, input: input ?? [] }, 'input', edit, edit.message === 'user' ? 'input_text' : 'output_text');
}

function inList(body: JsonObject, field: string, edit: MessageEdit, partType: string): JsonObject {
  const list = asArray(body[field]);
  const index = list.findIndex((item) => hasRole(item, edit.message));
  const found = edit.apart === true ? undefined : asObject(list[index]);
  if (found !== undefined) {
    const changed = { ...found, content: inContent(found.content ?? '', edit, partType) };
    return { ...body, [field]: list.map((item, at) => (at === index ? changed : item)) };
  }
  if (edit.create === false && edit.apart !== true) return body;
  return {
    ...body,
    [field]: list.toSpliced(placeOf(edit, index, list.length), 0, { role: edit.message, content: edit.add }),
  };
}

/** Where a message is made: that of the system first, others beside the one of their role, and last where there is none. */
export function placeOf({ message, at }: MessageEdit, index: number, length: number): number {
  if (message === 'system') return 0;
  if (index === -1) return length;
  return at === 'start' ? index : index + 1;
}

function hasRole(item: Json, role: MessageEdit['message']): boolean {
  const given = asObject(item)?.role;
  return given === role || (role === 'system' && given === 'developer');
}

function inContent(content: Json, edit: MessageEdit, partType: string): Json {
  if (!Array.isArray(content)) return around(typeof content === 'string' ? content : '', edit);
  const own = { type: partType, text: edit.add };
  return edit.at === 'start' ? [own, ...asArray(content)] : [...asArray(content), own];
}
