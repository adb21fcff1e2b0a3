import { GatewayError } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Message, ToolResultPart } from '../neutral.ts';
import { encodeParts, encodeToolResult, type PartOptions } from './encode-parts.ts';
import { isLevelModel } from './thinking.ts';

/**
 * Stands for a signature that another provider's model could not give. Source: thought signatures, FAQ
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
export const standIn = 'skip_thought_signature_validator';

interface Content {
  readonly role: string;
  parts: JsonObject[];
  extra: JsonObject;
}

/**
 * Contents with alternating roles, and the instructions of all system and developer messages.
 * @throws GatewayError `bad_request` for a tool result that answers no tool call
 */
export function encodeContents(
  call: Call,
  context: CodecContext,
): { readonly contents: readonly JsonObject[]; readonly system: readonly JsonObject[] } {
  const same = call.dialect === 'gemini';
  const turnStart = same || !isLevelModel(call.model) ? Number.POSITIVE_INFINITY : currentTurn(call.messages);
  const names = new Map<string, string>();
  const system: JsonObject[] = [];
  const contents: Content[] = [];
  const contentOf = (role: string, message: Message): Content => {
    const last = contents.at(-1);
    const content = last?.role === role ? last : { role, parts: [], extra: {} };
    if (content !== last) contents.push(content);
    if (same && message.extra !== undefined) content.extra = { ...message.extra, ...content.extra };
    return content;
  };
  for (const [index, message] of call.messages.entries()) {
    const path = `messages[${index}]`;
    reportDrops(message, path, same, context);
    const options: PartOptions = {
      same,
      path: `${path}.content`,
      keepThoughts: same,
      verified: true,
      standIn: index > turnStart ? standIn : undefined,
      dropped: (field) => context.dropped(field),
    };
    for (const part of message.parts) if (part.type === 'tool-call') names.set(part.id, part.name);
    const results = message.parts.filter((part) => part.type === 'tool-result');
    const parts = encodeParts(
      message.parts.filter((part) => part.type !== 'tool-result'),
      options,
    );
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...onlyTexts(parts, `${path}.content`, same, context));
      continue;
    }
    if (results.length > 0) answer(contentOf('user', message), results, path, names, options);
    if (parts.length > 0) contentOf(message.role === 'assistant' ? 'model' : 'user', message).parts.push(...parts);
  }
  return { contents: contents.map(({ role, parts, extra }) => ({ ...extra, role, parts })), system };
}

/** The last message that a person wrote: what follows it is the current turn, whose calls must be signed. */
function currentTurn(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }, index) => role === 'user' && messages[index - 1]?.role !== 'tool');
}

// The results of one turn stand together, so that they count as the answers to its calls; media comes after them.
function answer(
  content: Content,
  results: readonly ToolResultPart[],
  path: string,
  names: ReadonlyMap<string, string>,
  options: PartOptions,
): void {
  const responses: JsonObject[] = [];
  const media: JsonObject[] = [];
  for (const result of results) {
    const name = names.get(result.callId) ?? result.name;
    if (name === undefined) {
      throw new GatewayError(
        'bad_request',
        'The tool result answers no tool call: an earlier assistant message must hold a tool call with this id.',
        { param: `${path}.tool_call_id` },
      );
    }
    const { response, beside } = encodeToolResult(result, name, options);
    responses.push(response);
    media.push(...beside);
  }
  const last = content.parts.findLastIndex((part) => 'functionResponse' in part);
  const at = last === -1 ? content.parts.length : last + 1;
  content.parts = [...content.parts.slice(0, at), ...responses, ...content.parts.slice(at), ...media];
}

function onlyTexts(
  parts: readonly JsonObject[],
  path: string,
  same: boolean,
  context: CodecContext,
): readonly JsonObject[] {
  if (same) return parts;
  const texts = parts.filter((part) => 'text' in part);
  if (texts.length < parts.length) context.dropped(path);
  return texts;
}

function reportDrops(message: Message, path: string, same: boolean, context: CodecContext): void {
  if (message.name !== undefined) context.dropped(`${path}.name`);
  const extra: { readonly [key: string]: Json } = same ? {} : (message.extra ?? {});
  for (const key of Object.keys(extra)) context.dropped(`${path}.${key}`);
}
