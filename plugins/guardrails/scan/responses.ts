import { asArray, asObject, type Json, type JsonObject, type SpeakerRole } from 'portcullis/sdk';
import { readKey, readName } from './called-name.ts';
import { readDescriptions, readUnknown } from './descriptions.ts';
import { readFields, readLeaves } from './leaves.ts';
import { readParts } from './parts.ts';
import { Gathering, type JsonPath, type Reading, type Speaker, unreadable } from './reading.ts';
import { readMembers, readReplyMembers } from './reply-members.ts';

const requestFields: ReadonlySet<string> = new Set([
  ...['instructions', 'prompt', 'input', 'tools', 'text'],
  // Ids, and names of what to leave out or to add.
  ...['conversation', 'previous_response_id', 'include', 'truncation', 'prompt_cache_options'],
]);

/** Turns are the instructions, then the variables of a stored prompt, then each item; what is not there is none. */
export function readResponses(body: JsonObject): Reading {
  const found = new Gathering();
  readLeaves(found, body.instructions, ['instructions'], { role: 'system', kind: 'text', message: 0 });
  readPrompt(found, body.prompt, { role: 'user', kind: 'text', message: found.turns });
  if (typeof body.input === 'string') found.text(['input'], body.input, 'user', 'text', found.turns);
  else readItems(found, body.input, ['input'], found.turns);
  readDescriptions(found, body);
  readUnknown(found, body, requestFields);
  return found;
}

/** A stored prompt: its id, and what its caller has named and given. */
function readPrompt(found: Gathering, prompt: Json | undefined, given: Speaker): void {
  const object = asObject(prompt);
  if (object === undefined) readLeaves(found, prompt, ['prompt'], given);
  else {
    const variables = asObject(object.variables);
    if (variables === undefined) readLeaves(found, object.variables, ['prompt', 'variables'], given);
    for (const [name, value] of Object.entries(variables ?? {})) {
      readKey(found, name, ['prompt', 'variables'], given);
      readLeaves(found, value, ['prompt', 'variables', name], given);
    }
    readMembers(found, object, ['prompt'], given, promptFields);
  }
}

const promptFields: ReadonlySet<string> = new Set(['version', 'variables']);

/** All that the model says is one answer: choice 0. */
export function readResponsesReply(reply: JsonObject): Reading {
  if (!Array.isArray(reply.output)) return unreadable('The reply has no list of output.');
  const found = new Gathering();
  asArray(reply.output).forEach((item, index) => {
    const entry = asObject(item);
    const { type, content } = entry ?? {};
    if (entry === undefined || (type === 'message' && typeof content !== 'string' && !Array.isArray(content)))
      found.unreadable.push(`Item ${index} of the reply is of an unknown form.`);
    if (entry !== undefined) readItem(found, entry, ['output', index], 0, 'assistant');
  });
  if (typeof reply.output_text === 'string') found.text(['output_text'], reply.output_text, 'assistant', 'text', 0);
  readReplyMembers(found, reply, replyFields);
  return found;
}

/** What is read of a reply, what it repeats of its request, and ids, states and moments. */
const replyFields: ReadonlySet<string> = new Set([
  ...['output', 'output_text', 'instructions', 'prompt', 'tools', 'tool_choice', 'text', 'reasoning', 'truncation'],
  ...[
    'conversation',
    'previous_response_id',
    'prompt_cache_key',
    'prompt_cache_retention',
    'safety_identifier',
    'user',
  ],
  ...['prompt_cache_options', 'incomplete_details', 'billing', 'moderation', 'content_filters', 'access_programs'],
]);

/** A list of input items, as the provider has stored them. */
export function readItemList(reply: JsonObject): Reading {
  if (!Array.isArray(reply.data)) return unreadable('The reply has no list of items.');
  const found = new Gathering();
  readItems(found, reply.data, ['data'], 0);
  return found;
}

function readItems(found: Gathering, items: Json | undefined, path: JsonPath, first: number): void {
  const single = asObject(items);
  if (single !== undefined) {
    found.turn(first, roleOf(single));
    readItem(found, single, path, first, roleOf(single));
  }
  asArray(items).forEach((item, index) => {
    const entry = asObject(item);
    const role = entry === undefined ? 'user' : roleOf(entry);
    found.turn(first + index, role);
    if (entry !== undefined) readItem(found, entry, [...path, index], first + index, role);
    else readLeaves(found, item, [...path, index], { role, kind: 'text', message: first + index });
  });
}

const roles: ReadonlyMap<unknown, SpeakerRole> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['assistant', 'assistant'],
]);

/** Items of tools have no role, but their types tell who makes them. */
function roleOf({ type, role }: JsonObject): SpeakerRole {
  if (typeof type !== 'string' || type === 'message') return roles.get(role) ?? 'user';
  if (type.endsWith('_output')) return 'tool';
  if (type.endsWith('_call') || type === 'reasoning' || type === 'mcp_list_tools' || type === 'mcp_approval_request')
    return 'assistant';
  return roles.get(role) ?? 'user';
}

type Voice = Omit<Speaker, 'message'>;

const called: Voice = { role: 'assistant', kind: 'tool-arguments' };
const answered: Voice = { role: 'tool', kind: 'tool-result' };

/** Fields of items whose names tell what they hold, whatever tool it is; the provider runs some of them itself. */
const voices: readonly (readonly [string, Voice])[] = [
  ...['code', 'action', 'actions', 'operation', 'query', 'queries'].map((field) => [field, called] as const),
  ...['outputs', 'results', 'error', 'tools'].map((field) => [field, answered] as const),
  ['summary', { role: 'assistant', kind: 'thinking' }],
  ['reason', { role: 'user', kind: 'text' }],
];

/** What is called, where and how is none of the texts. */
const calledFields = ['name', 'namespace', 'server_label', 'execution', 'phase'] as const;

const itemFields: ReadonlySet<string> = new Set([
  ...voices.map(([field]) => field),
  'arguments',
  'input',
  'output',
  'content',
  ...calledFields,
]);

function readItem(found: Gathering, item: JsonObject, path: JsonPath, turn: number, role: SpeakerRole): void {
  for (const field of calledFields) readName(found, item[field], [...path, field], { ...called, message: turn });
  for (const field of ['arguments', 'input']) {
    if (Array.isArray(item[field])) readLeaves(found, item[field], [...path, field], { ...called, message: turn });
    else found.argumentsOf([...path, field], item[field], turn);
  }
  const { output, content } = item;
  const isPart = Array.isArray(output) || typeof asObject(output)?.type === 'string';
  if (isPart) readLeaves(found, output, [...path, 'output'], { ...answered, message: turn });
  else found.resultOf([...path, 'output'], output, turn);
  for (const [field, voice] of voices)
    if (item[field] !== undefined) readLeaves(found, item[field], [...path, field], { ...voice, message: turn });
  const speaker: Speaker = { role, kind: item.type === 'reasoning' ? 'thinking' : 'text', message: turn };
  if (Array.isArray(content)) readParts(found, content, [...path, 'content'], speaker, ['refusal']);
  else readLeaves(found, content, [...path, 'content'], speaker);
  readFields(found, item, path, speaker, itemFields);
}
