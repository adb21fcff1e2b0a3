import { asArray, asObject, type Json, type JsonObject, type SpeakerRole } from 'portcullis/sdk';
import { Gathering, type JsonPath, type Reading } from './reading.ts';

/** Fields that hold what somebody says, at any depth of what assistants, threads, stores and conversations are made of. */
const spoken: ReadonlySet<string> = new Set([
  'instructions',
  'additional_instructions',
  'description',
  'content',
  'text',
  'value',
  'input',
  'output',
  'arguments',
  'refusal',
  'transcript',
  'query',
  'queries',
  // What tools run, and what they print.
  'code',
  'command',
  'commands',
  'diff',
  'logs',
  'stdout',
  'stderr',
]);
const roles: ReadonlyMap<string, SpeakerRole> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
]);
const deepest = 32;

/** What is said in requests and replies about things that a provider keeps. */
export function readKept(body: JsonObject): Reading {
  const found = new Gathering();
  walk(found, body, [], 'user', 0);
  return found;
}

function walk(found: Gathering, value: Json, path: JsonPath, role: SpeakerRole, depth: number): void {
  if (depth > deepest) {
    found.unreadable.push('The body is nested too deeply.');
    return;
  }
  if (Array.isArray(value)) {
    asArray(value).forEach((item, index) => {
      if (typeof item === 'string' && spoken.has(String(path.at(-1))))
        found.text([...path, index], item, role, 'text', 0);
      else walk(found, item, [...path, index], role, depth + 1);
    });
    return;
  }
  const object = asObject(value);
  if (object === undefined) return;
  const speaker = roles.get(String(object.role)) ?? role;
  for (const [name, member] of Object.entries(object)) {
    if (typeof member === 'string' && spoken.has(name)) found.text([...path, name], member, speaker, 'text', 0);
    else if (typeof member === 'object' && member !== null) walk(found, member, [...path, name], speaker, depth + 1);
  }
}
