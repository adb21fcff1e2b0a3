import { asObject, asObjects, asString, type JsonObject } from '../../json.ts';
import type { ImagePart, Message, Part, Role } from '../neutral.ts';
import { decodeCitation } from './citations.ts';
import { dialectName } from './name.ts';

const roles: ReadonlyMap<string, Role> = new Map([
  ['system', 'system'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
]);

/** Reads the messages of a request. */
export function decodeMessages(value: unknown): readonly Message[] {
  return asObjects(value).map((message) => {
    const role = roles.get(asString(message.role) ?? '') ?? 'user';
    if (role === 'assistant') return { role, parts: decodeAnswer(message, (index) => `call_${index + 1}`) };
    const parts = partsOf(message.content);
    if (role !== 'tool') return { role, parts };
    return { role, parts: [{ type: 'tool-result', callId: asString(message.tool_call_id) ?? '', content: parts }] };
  });
}

/**
 * The parts of an assistant's message: its content with the citations on the last text, the plan before the tool calls as a
 * text, and the calls.
 * @param idOf an id for the call at an index that has none
 */
export function decodeAnswer(message: JsonObject, idOf: (index: number) => string): readonly Part[] {
  const plan = asString(message.tool_plan);
  const spoken: readonly Part[] = [
    ...partsOf(message.content),
    ...(plan ? [{ type: 'text', text: plan } satisfies Part] : []),
  ];
  const citations = asObjects(message.citations).flatMap(decodeCitation);
  const last = spoken.findLastIndex((part) => part.type === 'text');
  const cited =
    citations.length === 0
      ? spoken
      : spoken.map((part, index) => (index === last && part.type === 'text' ? { ...part, citations } : part));
  return [...cited, ...asObjects(message.tool_calls).map((call, index) => callOf(call, idOf(index)))];
}

function callOf(call: JsonObject, id: string): Part {
  const called = asObject(call.function);
  return {
    type: 'tool-call',
    id: asString(call.id) || id,
    name: asString(called?.name) ?? '',
    arguments: asString(called?.arguments) ?? '',
  };
}

function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asObjects(content).map(partOf);
}

function partOf(block: JsonObject): Part {
  const text = asString(block.text);
  const thinking = asString(block.thinking);
  const image = asObject(block.image_url);
  const url = asString(image?.url);
  if (block.type === 'text' && text !== undefined) return { type: 'text', text };
  if (block.type === 'thinking' && thinking !== undefined) return { type: 'thinking', text: thinking };
  if (block.type === 'image_url' && url !== undefined) return pictureOf(url, asString(image?.detail));
  return { type: 'native', dialect: dialectName, value: block };
}

function pictureOf(url: string, detail: string | undefined): ImagePart {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  const source =
    mediaType === undefined || data === undefined
      ? ({ kind: 'url', url } as const)
      : ({ kind: 'base64', mediaType, data } as const);
  return { type: 'image', source, ...(detail === undefined ? {} : { detail }) };
}
