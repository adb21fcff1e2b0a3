import { asArray, asObject, asString, type Json, type JsonObject, type SpeakerRole } from 'portcullis/sdk';
import { readName } from './called-name.ts';
import { readDescriptions, readUnknown } from './descriptions.ts';
import { readMedia } from './inline-media.ts';
import { readFields, readLeaves } from './leaves.ts';
import { Gathering, type JsonPath, type Reading, type Speaker, unreadable } from './reading.ts';
import { readChoiceMembers, readMembers, readReplyMembers } from './reply-members.ts';

// Every field is read under both spellings that the API takes, and lists may be single items: https://ai.google.dev/api.

/** What `generateContent` and `countTokens` ask. The instruction of the system is a turn of its own where there is one. */
export function readContents(body: JsonObject): Reading {
  const found = new Gathering();
  readAsked(found, body, []);
  return found;
}

export function readContentsReply(reply: JsonObject): Reading {
  const { candidates } = reply;
  // The prompt was blocked, and there is no answer at all.
  const isBlocked = (candidates ?? null) === null && asObject(reply.promptFeedback) !== undefined;
  if (!Array.isArray(candidates) && !isBlocked) return unreadable('The reply has no list of candidates.');
  const found = new Gathering();
  asArray(candidates).forEach((item, index) => {
    const candidate = asObject(item);
    const at = ['candidates', index];
    if (candidate === undefined || !isContent(candidate.content))
      found.unreadable.push(`Candidate ${index} of the reply is of an unknown form.`);
    if (candidate === undefined) return;
    readContent(found, candidate.content, [...at, 'content'], 'assistant', index);
    readChoiceMembers(found, candidate, at, index, candidateFields);
  });
  readFeedback(found, reply.promptFeedback);
  readReplyMembers(found, reply, replyFields);
  return found;
}

/** What is said of the prompt, but for the names of reasons and categories. */
function readFeedback(found: Gathering, feedback: Json | undefined): void {
  const speaker: Speaker = { role: 'assistant', kind: 'text', message: -1 };
  const object = asObject(feedback);
  if (object === undefined) readLeaves(found, feedback, ['promptFeedback'], speaker);
  else readMembers(found, object, ['promptFeedback'], speaker, feedbackFields);
}

/** What is embedded stands beside each other, and is no history: all of it is turn 0. */
export function readEmbedded(body: JsonObject): Reading {
  const found = new Gathering();
  const request = (given: JsonObject, at: JsonPath) => {
    readContent(found, given.content, [...at, 'content'], 'user', 0);
    const title = asString(given.title);
    if (title !== undefined) found.text([...at, 'title'], title, 'user', 'text', 0);
    readUnknown(found, given, knownOf(given, embeddedFields), at);
  };
  request(body, []);
  asArray(body.requests).forEach((item, index) => {
    request(asObject(item) ?? {}, ['requests', index]);
  });
  return found;
}

const embeddedFields: ReadonlySet<string> = new Set(['content', 'title', 'requests', 'taskType']);

const candidateFields: ReadonlySet<string> = new Set(['content', 'finishReason', 'safetyRatings', 'logprobsResult']);
const feedbackFields: ReadonlySet<string> = new Set(['blockReason', 'safetyRatings']);
const replyFields: ReadonlySet<string> = new Set([
  ...['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'modelStatus', 'responseId', 'createTime'],
]);

function isContent(content: Json | undefined): boolean {
  return content === undefined || content === null || asObject(content) !== undefined;
}

/** The field's name in the spelling of the documents. */
function spelled(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The members of an object that are known, each with its own spelling. */
function knownOf(object: JsonObject, names: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(Object.keys(object).filter((key) => names.has(spelled(key))));
}

/** The members of an object whose name means this one, each with its own spelling. */
export function membersOf(object: JsonObject, name: string): readonly (readonly [string, Json])[] {
  return Object.entries(object).filter(([key]) => spelled(key) === name);
}

function listed(value: Json, at: JsonPath): readonly (readonly [Json, JsonPath])[] {
  return Array.isArray(value) ? asArray(value).map((item, index) => [item, [...at, index]]) : [[value, at]];
}

const askedFields: ReadonlySet<string> = new Set([
  ...['systemInstruction', 'contents', 'tools', 'generationConfig', 'generateContentRequest'],
  // Names and thresholds.
  ...['toolConfig', 'safetySettings', 'cachedContent', 'labels', 'modelArmorConfig', 'serviceTier'],
]);

function readAsked(found: Gathering, body: JsonObject, at: JsonPath): void {
  const each = (name: string, read: (value: Json, path: JsonPath) => void) => {
    for (const [key, value] of membersOf(body, name)) read(value, [...at, key]);
  };
  const turn = (value: Json, path: JsonPath, role: SpeakerRole) => {
    const index = found.turns;
    found.turn(index, role);
    readContent(found, value, path, role, index);
  };
  each('systemInstruction', (value, path) => turn(value, path, 'system'));
  each('contents', (value, path) => {
    for (const [item, place] of listed(value, path)) turn(item, place, roleOf(item));
  });
  readDescriptions(found, body, at, ['toolConfig', 'tool_config']);
  readUnknown(found, body, knownOf(body, askedFields), at);
  each('generateContentRequest', (value, path) => readAsked(found, asObject(value) ?? {}, path));
}

const roles: ReadonlyMap<Json | undefined, SpeakerRole> = new Map([
  ['model', 'assistant'],
  ['system', 'system'],
  ['function', 'tool'],
]);

function roleOf(content: Json): SpeakerRole {
  return roles.get(asObject(content)?.role) ?? 'user';
}

const contentFields: ReadonlySet<string> = new Set(['role', 'parts']);

function readContent(found: Gathering, value: Json | undefined, at: JsonPath, role: SpeakerRole, turn: number): void {
  const speaker: Speaker = { role, kind: role === 'tool' ? 'tool-result' : 'text', message: turn };
  const content = asObject(value);
  if (content === undefined) {
    readLeaves(found, value, at, speaker);
    return;
  }
  if (content.parts !== undefined)
    for (const [part, place] of listed(content.parts, [...at, 'parts'])) readPart(found, part, place, speaker);
  readFields(found, content, at, speaker, contentFields);
}

function readPart(found: Gathering, value: Json, at: JsonPath, speaker: Speaker): void {
  const part = asObject(value);
  if (part === undefined) {
    readLeaves(found, value, at, speaker);
    return;
  }
  const said: Speaker = part.thought === true ? { ...speaker, kind: 'thinking' } : speaker;
  for (const [key, member] of Object.entries(part)) {
    const place = [...at, key];
    const name = spelled(key);
    const object = asObject(member) ?? {};
    // A list or a text in the place of an object has no members that could be known.
    if (asObject(member) === undefined && name !== 'thoughtSignature') {
      readLeaves(found, member, place, said);
      continue;
    }
    switch (name) {
      case 'thoughtSignature':
        break;
      case 'functionCall':
        readName(found, object.name, [...place, 'name'], { ...speaker, kind: 'tool-arguments' });
        found.argumentsOf([...place, 'args'], object.args, speaker.message);
        readFields(found, object, place, { ...speaker, kind: 'tool-arguments' }, calledFields);
        break;
      case 'functionResponse':
        readResponse(found, object, place, speaker.message);
        break;
      case 'executableCode':
        readFields(found, object, place, { ...speaker, kind: 'tool-arguments' }, codeFields);
        break;
      case 'codeExecutionResult':
        readFields(found, object, place, { role: 'tool', kind: 'tool-result', message: speaker.message }, codeFields);
        break;
      case 'inlineData':
      case 'fileData':
        readMedia(found, object, place, at, speaker);
        break;
      default:
        readLeaves(found, member, place, said);
    }
  }
}

const calledFields: ReadonlySet<string> = new Set(['name', 'args']);
const codeFields: ReadonlySet<string> = new Set(['language', 'outcome']);
const answeredFields: ReadonlySet<string> = new Set(['name', 'response', 'parts', 'scheduling']);

function readResponse(found: Gathering, response: JsonObject, at: JsonPath, turn: number): void {
  const speaker: Speaker = { role: 'tool', kind: 'tool-result', message: turn };
  readName(found, response.name, [...at, 'name'], speaker);
  found.resultOf([...at, 'response'], response.response, turn);
  if (response.parts !== undefined)
    for (const [part, place] of listed(response.parts, [...at, 'parts'])) readPart(found, part, place, speaker);
  readFields(found, response, at, speaker, answeredFields);
}
