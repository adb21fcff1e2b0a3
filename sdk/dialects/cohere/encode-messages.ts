import { GatewayError } from '../../errors.ts';
import { compact, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, FilePart, ImagePart, Message, Part, ToolResultPart } from '../neutral.ts';
import { encodeCitation } from './citations.ts';
import { dialectName } from './name.ts';

export interface EncodedMessages {
  readonly messages: readonly JsonObject[];
  /** Texts that clients attach as files: they are what the model may cite. */
  readonly documents: readonly JsonObject[];
}

/**
 * The messages of a request. Each tool result is a message; pictures in results, which such messages cannot hold, move to a
 * user message behind the last result of the turn.
 * @throws GatewayError `translation_unsupported` for files that are no text, for sound and for ids of files
 */
export function encodeMessages(call: Call, context: CodecContext): EncodedMessages {
  const messages: JsonObject[] = [];
  const documents: JsonObject[] = [];
  let pictures: JsonObject[] = [];
  const place = (): void => {
    if (pictures.length > 0) messages.push({ role: 'user', content: pictures });
    pictures = [];
  };
  for (const [index, message] of call.messages.entries()) {
    const path = `messages[${index}]`;
    reportDrops(message, call, context);
    const results = message.parts.filter((part) => part.type === 'tool-result');
    const rest = message.parts.filter((part) => part.type !== 'tool-result');
    for (const result of results) {
      messages.push(resultMessage(result, path));
      pictures.push(...picturesOf(result, path));
    }
    if (results.length > 0 && rest.length === 0) continue;
    place();
    const written =
      message.role === 'assistant' ? assistantMessage(rest, context) : turnMessage(message, rest, path, documents);
    if (written !== undefined) messages.push(written);
  }
  place();
  return { messages, documents };
}

function turnMessage(message: Message, parts: readonly Part[], path: string, documents: JsonObject[]): JsonObject {
  const role = message.role === 'system' || message.role === 'developer' ? 'system' : 'user';
  const content: JsonObject[] = [];
  for (const [index, part] of parts.entries()) {
    const place = `${path}.content[${index}]`;
    if (part.type === 'text' || part.type === 'refusal') content.push({ type: 'text', text: part.text });
    else if (part.type === 'image' && role === 'user') content.push(picture(part, place));
    else if (part.type === 'file' && role === 'user') documents.push(documentOf(part, place));
    else if (part.type === 'native' && part.dialect === dialectName) content.push(part.value);
    else throw unsupported(`${part.type} content`, place);
  }
  return { role, content: contentOf(content) };
}

function assistantMessage(parts: readonly Part[], context: CodecContext): JsonObject | undefined {
  const content: JsonObject[] = [];
  const citations: JsonObject[] = [];
  const calls: JsonObject[] = [];
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal') content.push({ type: 'text', text: part.text });
    else if (part.type === 'thinking') content.push({ type: 'thinking', thinking: part.text });
    else if (part.type === 'tool-call')
      calls.push({ id: part.id, type: 'function', function: { name: part.name, arguments: argumentsOf(part) } });
    else context.dropped(`messages.content.${part.type}`);
    if (part.type === 'text') citations.push(...ownCitations(part.citations ?? []));
  }
  const said = content.filter((block) => block.type !== 'text' || block.text !== '');
  if (calls.length === 0 && said.length === 0)
    return parts.length === 0 ? { role: 'assistant', content: '' } : undefined;
  // What a model says before it calls tools is its plan.
  const plan = calls.length === 0 ? [] : said.filter((block) => block.type === 'text');
  const spoken = said.filter((block) => !plan.includes(block));
  return compact({
    role: 'assistant',
    content: spoken.length === 0 ? undefined : contentOf(spoken),
    tool_plan: plan.length === 0 ? undefined : plan.map((block) => block.text).join('\n'),
    tool_calls: calls.length === 0 ? undefined : calls,
    citations: citations.length === 0 ? undefined : citations,
  });
}

function ownCitations(citations: readonly JsonObject[]): readonly JsonObject[] {
  return citations.map(encodeCitation).filter((citation) => citation !== undefined);
}

function argumentsOf(part: Extract<Part, { type: 'tool-call' }>): string {
  if (part.custom === true) return JSON.stringify({ input: part.arguments });
  return part.arguments.trim() === '' ? '{}' : part.arguments;
}

function resultMessage(result: ToolResultPart, path: string): JsonObject {
  const content: JsonObject[] = result.isError === true ? [{ type: 'text', text: 'The tool failed:' }] : [];
  let moved = false;
  for (const [index, part] of result.content.entries()) {
    const place = `${path}.content[${index}]`;
    if (part.type === 'text' || part.type === 'refusal') content.push({ type: 'text', text: part.text });
    else if (part.type === 'file') content.push({ type: 'document', document: documentOf(part, place) });
    else if (part.type === 'native' && part.dialect === dialectName) content.push(part.value);
    else if (part.type === 'image') moved = true;
    else throw unsupported(`${part.type} content`, place);
  }
  if (moved && content.length === 0) content.push({ type: 'text', text: 'See the next user message.' });
  return { role: 'tool', tool_call_id: result.callId, content: contentOf(content) };
}

function picturesOf(result: ToolResultPart, path: string): readonly JsonObject[] {
  const images = result.content.filter((part) => part.type === 'image');
  if (images.length === 0) return [];
  const label = { type: 'text', text: `Result of the tool call ${result.callId}:` };
  return [label, ...images.map((part) => picture(part, `${path}.content`))];
}

function picture({ source, detail }: ImagePart, path: string): JsonObject {
  if (source.kind === 'file-id') throw unsupported('the id of a file of another provider', path);
  const url = source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
  return { type: 'image_url', image_url: compact({ url, detail }) };
}

function documentOf(part: FilePart, path: string): JsonObject {
  const text = textOf(part);
  if (text === undefined) throw unsupported('a file that is no text', path);
  const { title, filename, context } = part;
  return { data: compact({ title: title ?? filename, text, context }) };
}

function textOf({ source }: FilePart): string | undefined {
  if (source.kind === 'text') return source.text;
  if (source.kind !== 'base64' || !/^(text\/|application\/json)/i.test(source.mediaType)) return undefined;
  return Buffer.from(source.data, 'base64').toString('utf8');
}

/** One plain text is a string. */
function contentOf(blocks: readonly JsonObject[]): Json {
  const [first] = blocks;
  if (first === undefined) return '';
  return blocks.length === 1 && first.type === 'text' ? (first.text ?? '') : blocks;
}

function unsupported(what: string, param: string): GatewayError {
  return new GatewayError('translation_unsupported', `This provider cannot take ${what} in a message.`, { param });
}

function reportDrops(message: Message, call: Call, context: CodecContext): void {
  if (message.name !== undefined) context.dropped('messages.name');
  if (call.dialect !== dialectName)
    for (const key of Object.keys(message.extra ?? {})) context.dropped(`messages.${key}`);
  if (message.parts.some((part) => 'cache' in part && part.cache !== undefined)) context.dropped('cache_control');
}
