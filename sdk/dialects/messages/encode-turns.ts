import { GatewayError } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Message, Role } from '../neutral.ts';
import { contentOf, encodePart } from './encode-blocks.ts';

const wireRoles: Readonly<Record<Role, string>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  tool: 'user',
  assistant: 'assistant',
};

interface Turn {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
  readonly extra: JsonObject;
}

/**
 * `system` and `messages` of a request. System and developer messages are gathered in `system`, in their order, wherever
 * they stand; only a call of this dialect keeps later ones in place, as newer models of this format take them there.
 * Turns without blocks are left out, neighbours of one role become one turn, and tool results come first in theirs.
 * @throws GatewayError `bad_request` when no turn is left
 */
export function encodeTurns(call: Call, context: CodecContext): { readonly system?: Json; readonly messages: Json } {
  const turns = call.messages
    .map((message): Turn => encodeMessage(message, call.dialect, context))
    .filter((turn) => turn.blocks.length > 0);
  const leading = turns.findIndex((turn) => turn.role !== 'system');
  const inPlace = (at: number) => call.dialect === 'messages' && leading !== -1 && at > leading;
  const system = turns.flatMap((turn, at) => (turn.role === 'system' && !inPlace(at) ? turn.blocks : []));
  const spoken = merge(turns.filter((turn, at) => turn.role !== 'system' || inPlace(at)));
  if (spoken.length === 0) {
    throw new GatewayError('bad_request', 'The Messages API needs at least one user message with content.', {
      param: 'messages',
    });
  }
  return {
    ...(system.length === 0 ? {} : { system: contentOf(system) }),
    messages: spoken.map((turn) => ({ role: turn.role, content: contentOf(resultsFirst(turn.blocks)), ...turn.extra })),
  };
}

function encodeMessage(message: Message, dialect: string, context: CodecContext): Turn {
  const role = wireRoles[message.role];
  const blocks = message.parts.flatMap((part) => encodePart(part, context));
  if (message.name !== undefined) context.dropped('messages.name');
  const extra = dialect === 'messages' ? (message.extra ?? {}) : {};
  if (extra !== message.extra) for (const key in message.extra) context.dropped(`messages.${key}`);
  if (role !== 'system' || blocks.every((block) => block.type === 'text')) return { role, blocks, extra };
  context.dropped('system content other than text');
  return { role, blocks: blocks.filter((block) => block.type === 'text'), extra };
}

function merge(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role !== turn.role) merged.push(turn);
    else {
      const blocks = [...last.blocks, ...turn.blocks];
      merged[merged.length - 1] = { role: turn.role, blocks, extra: { ...last.extra, ...turn.extra } };
    }
  }
  return merged;
}

// The API refuses a user turn whose tool results stand behind other blocks.
function resultsFirst(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const results = blocks.filter((block) => block.type === 'tool_result');
  return results.length === 0 ? blocks : [...results, ...blocks.filter((block) => block.type !== 'tool_result')];
}
