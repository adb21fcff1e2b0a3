import { GatewayError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Message } from '../neutral.ts';
import { type BlockOptions, cachePoint, encodePart, type PartBlocks } from './encode-blocks.ts';
import { DocumentNames } from './media.ts';

interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly PartBlocks[];
  readonly extra: JsonObject;
}

export interface Turns {
  readonly system: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
}

/**
 * `system` and `messages` of a request. System and developer messages are gathered in `system`, in their order. Turns
 * without blocks are left out, neighbours of one role become one turn, and tool results come first in theirs. Where the
 * request offers no tools, calls and results of the history are told in words: the API takes neither without tools.
 * @throws GatewayError `bad_request` when no turn is left
 */
export function encodeTurns(call: Call, hasTools: boolean, context: CodecContext): Turns {
  const same = call.dialect === 'converse';
  const options: BlockOptions = {
    same,
    toolsInWords: !hasTools && !same,
    names: new DocumentNames(),
    dropped: (field) => context.dropped(field),
  };
  const turns = call.messages
    .map((message, at) => turnOf(message, `messages[${at}].content`, options))
    .filter(({ parts }) => parts.some(({ blocks }) => blocks.length > 0));
  const system = turns.flatMap((turn) => (turn.role === 'system' ? turn.parts : [])).flatMap(({ blocks }) => blocks);
  const messages = merged(turns.filter(({ role }) => role !== 'system')).map(({ role, parts, extra }) => ({
    ...extra,
    role,
    content: resultsFirst(parts).flatMap(({ blocks }) => blocks),
  }));
  if (messages.length === 0 && !same) {
    throw new GatewayError('bad_request', 'The Converse API needs at least one user message with content.', {
      param: 'messages',
    });
  }
  return { system: same ? system : onlyTexts(system, context), messages: markedLast(messages, call) };
}

function turnOf(message: Message, path: string, options: BlockOptions): Turn {
  if (message.name !== undefined) options.dropped('messages.name');
  const extra = options.same ? (message.extra ?? {}) : {};
  if (!options.same) for (const key in message.extra) options.dropped(`messages.${key}`);
  const role = message.role === 'developer' ? 'system' : message.role === 'tool' ? 'user' : message.role;
  return { role, parts: message.parts.map((part, at) => encodePart(part, `${path}[${at}]`, options)), extra };
}

function merged(turns: readonly Turn[]): readonly Turn[] {
  const kept: { role: Turn['role']; parts: PartBlocks[]; extra: JsonObject }[] = [];
  for (const turn of turns) {
    const last = kept.at(-1);
    if (last?.role !== turn.role) kept.push({ ...turn, parts: [...turn.parts] });
    else {
      last.parts.push(...turn.parts);
      last.extra = { ...last.extra, ...turn.extra };
    }
  }
  return kept;
}

function resultsFirst(parts: readonly PartBlocks[]): readonly PartBlocks[] {
  return parts.some(({ result }) => result)
    ? [...parts.filter(({ result }) => result), ...parts.filter(({ result }) => !result)]
    : parts;
}

function onlyTexts(blocks: readonly JsonObject[], context: CodecContext): readonly JsonObject[] {
  const kept = blocks.filter((block) => 'text' in block || 'cachePoint' in block || 'guardContent' in block);
  if (kept.length < blocks.length) context.dropped('system content other than text');
  return kept;
}

/** A mark on the whole request stands behind its last block. */
function markedLast(messages: readonly (JsonObject & { readonly content: readonly JsonObject[] })[], call: Call) {
  const last = messages.at(-1);
  if (call.cache === undefined || last === undefined || 'cachePoint' in (last.content.at(-1) ?? {})) return messages;
  return [...messages.slice(0, -1), { ...last, content: [...last.content, cachePoint(call.cache)] }];
}
