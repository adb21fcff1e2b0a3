import type { JsonObject } from 'portcullis/sdk';
import { readKey } from './called-name.ts';
import { silent } from './leaves.ts';
import type { Gathering, JsonPath, Speaker } from './reading.ts';
import { readUnknownMember } from './unknown.ts';

/** What of a reply is no text of it: where it comes from, what it has cost, what a filter of the provider thinks of it. */
const replyFields: ReadonlySet<string> = new Set([
  ...['model', 'provider', 'usage', 'service_tier', 'system_fingerprint', 'metadata', 'x_groq'],
  ...['prompt_filter_results', 'prompt_logprobs', 'kv_transfer_params', 'obfuscation', 'request_id'],
]);
const choiceFields: ReadonlySet<string> = new Set([
  ...['finish_reason', 'native_finish_reason', 'stop_reason', 'matched_stop', 'finish_details'],
  ...['content_filter_results', 'content_filter_result'],
]);

const none: ReadonlySet<string> = new Set();

/** What stands beside the answers of a reply. @param known what its reader reads, and what holds no text */
export function readReplyMembers(found: Gathering, reply: JsonObject, known: ReadonlySet<string>): void {
  readMembers(found, reply, [], { role: 'assistant', kind: 'text', message: -1 }, known, replyFields);
}

/** What stands beside the text of one answer. */
export function readChoiceMembers(
  found: Gathering,
  choice: JsonObject,
  path: JsonPath,
  index: number,
  known: ReadonlySet<string>,
): void {
  readMembers(found, choice, path, { role: 'assistant', kind: 'text', message: index }, known, choiceFields);
}

/** What an object says in members that its reader does not know. @param quiet those that hold no text, whoever reads */
export function readMembers(
  found: Gathering,
  object: JsonObject,
  path: JsonPath,
  speaker: Speaker,
  known: ReadonlySet<string>,
  quiet: ReadonlySet<string> = none,
): void {
  for (const field of Object.keys(object)) {
    if (silent.has(field) || known.has(field) || quiet.has(field)) continue;
    readKey(found, field, path, speaker);
    readUnknownMember(found, object, field, path, speaker);
  }
}
