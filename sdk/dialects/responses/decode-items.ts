import { GatewayError } from '../../errors.ts';
import { asArray, asObject, asObjects, asString, type Json, type JsonObject, omit } from '../../json.ts';
import { lookup } from '../lookup.ts';
import type { Message, Part, Role, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { present } from '../present.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { native, readContent } from './decode-content.ts';
import { thinkingOf } from './signatures.ts';

/** What one input item is: a part of the assistant's turn, of a turn with results, or a message of its own. */
interface Entry {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly extra?: JsonObject;
  /** A message item; two of them share a turn only where neither has fields of its own. */
  readonly message?: boolean;
}

/**
 * The messages of `input`: a string, or a list of items. Consecutive items of the assistant (reasoning, message, calls,
 * built-in tools) become one assistant message, consecutive results one tool message.
 *
 * @throws GatewayError `translation_unsupported` for `item_reference`, which only the provider that keeps the item can read
 */
export function readInput(input: Json | undefined): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [{ type: 'text', text: input }] }];
  const messages: Message[] = [];
  let previous: Entry | undefined;
  for (const [index, value] of asArray(input).entries()) {
    const item = asObject(value);
    if (item === undefined) continue;
    const entry = readItem(item, index);
    const last = messages.at(-1);
    if (last !== undefined && previous !== undefined && joins(previous, entry)) {
      const extra = entry.extra ?? last.extra;
      messages[messages.length - 1] = present<Message>({ ...last, parts: [...last.parts, ...entry.parts], extra });
      previous = { ...entry, message: entry.message === true || previous.message === true, ...withExtra(extra) };
    } else {
      messages.push(present<Message>({ role: entry.role, parts: entry.parts, extra: entry.extra }));
      previous = entry;
    }
  }
  return messages;
}

function withExtra(extra: JsonObject | undefined): Pick<Entry, 'extra'> {
  return extra === undefined ? {} : { extra };
}

function joins(previous: Entry, next: Entry): boolean {
  if (previous.role !== next.role) return false;
  if (next.role === 'tool') return true;
  if (next.role !== 'assistant') return false;
  return !(previous.message && next.message && (previous.extra !== undefined || next.extra !== undefined));
}

const readers: Readonly<Record<string, (item: JsonObject) => Entry>> = {
  message: readMessage,
  reasoning: (item) => assistant(thinkingOf(item, reasoningText(item))),
  function_call: (item) => assistant(readCall(item)),
  custom_tool_call: (item) => assistant(readCall(item)),
  function_call_output: (item) => ({ role: 'tool', parts: [readResult(item)] }),
  custom_tool_call_output: (item) => ({ role: 'tool', parts: [readResult(item)] }),
};

function readItem(item: JsonObject, index: number): Entry {
  const type = asString(item.type) ?? (item.role === undefined ? '' : 'message');
  if (type === 'item_reference') {
    throw new GatewayError(
      'translation_unsupported',
      'An item_reference can only be read by the provider that keeps the item; send the item itself.',
      { param: `input[${index}]` },
    );
  }
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return read?.(item) ?? { role: nativeRole(type), parts: [native(item)] };
}

const settings: ReadonlySet<string> = new Set(['additional_tools', 'configuration_update', 'compaction_trigger']);
// Outputs that the provider makes itself belong to the assistant's turn.
const ownOutputs: ReadonlySet<string> = new Set(['program_output', 'tool_search_output']);

function nativeRole(type: string): Role {
  if (settings.has(type)) return 'developer';
  const output = type.endsWith('_output') || type === 'mcp_approval_response';
  return output && !ownOutputs.has(type) ? 'tool' : 'assistant';
}

const roles: Readonly<Record<string, Role>> = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'developer',
};
const messageFields: ReadonlySet<string> = new Set(['type', 'role', 'content']);

function readMessage(item: JsonObject): Entry {
  const extra = omit(item, messageFields);
  return {
    role: lookup(roles, asString(item.role) ?? '') ?? 'user',
    parts: readContent(item.content),
    message: true,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function assistant(part: Part): Entry {
  return { role: 'assistant', parts: [part] };
}

/** A `function_call` or `custom_tool_call` item. */
export function readCall(item: JsonObject): ToolCallPart {
  const custom = item.type === 'custom_tool_call';
  const itemId = asString(item.id);
  const { id, signature } = unpackToolCallId(asString(item.call_id) ?? itemId ?? '');
  return present<ToolCallPart>({
    type: 'tool-call',
    id,
    name: asString(item.name) ?? '',
    arguments: textOf(custom ? item.input : item.arguments),
    custom: custom || undefined,
    itemId,
    signature,
  });
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readResult(item: JsonObject): ToolResultPart {
  return present<ToolResultPart>({
    type: 'tool-result',
    callId: unpackToolCallId(asString(item.call_id) ?? '').id,
    name: asString(item.name),
    content: readContent(item.output),
    custom: item.type === 'custom_tool_call_output' || undefined,
  });
}

/** The text of a reasoning item: its summary and what is shown of the reasoning itself, blank lines between. */
export function reasoningText(item: JsonObject): string {
  const texts = [...asObjects(item.summary), ...asObjects(item.content)].map((part) => asString(part.text) ?? '');
  return texts.filter((text) => text !== '').join('\n\n');
}
