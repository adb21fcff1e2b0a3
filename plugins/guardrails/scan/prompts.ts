import { asArray, asObject, type Json, type JsonObject } from 'portcullis/sdk';
import { readName } from './called-name.ts';
import { readData } from './data.ts';
import { readUnknown } from './descriptions.ts';
import { readFields, readLeaves, readMedium } from './leaves.ts';
import { Gathering, type JsonPath, nothing, type Reading, type Speaker, unreadable } from './reading.ts';
import { readChoiceMembers, readReplyMembers } from './reply-members.ts';

// Prompts stand beside each other, and are no history: all of them are turn 0, so that every scope covers all.

export function readCompletions(body: JsonObject): Reading {
  const found = listed(body.prompt, 'prompt');
  readLeaves(found, body.suffix, ['suffix'], asked);
  readUnknown(found, body, completionFields);
  return found;
}

export function readEmbeddings(body: JsonObject): Reading {
  const found = listed(body.input, 'input');
  readUnknown(found, body, embeddingFields);
  return found;
}

/** Texts, or inputs of several parts, beside each other. */
export function readEmbeddedTexts(body: JsonObject): Reading {
  const found = new Gathering();
  readLeaves(found, body.texts, ['texts'], asked);
  readLeaves(found, body.inputs, ['inputs'], asked);
  readUnknown(found, body, embeddedFields);
  return found;
}

export function readRerank(body: JsonObject): Reading {
  const found = new Gathering();
  user(found, body.query, ['query']);
  if (body.documents !== undefined) readData(found, body.documents, ['documents'], asked);
  readUnknown(found, body, rerankFields);
  return found;
}

export function readImagePrompt(body: JsonObject): Reading {
  const found = new Gathering();
  user(found, body.prompt, ['prompt']);
  user(found, body.negative_prompt, ['negative_prompt']);
  for (const field of pictureFields) readPicture(found, body[field], [field]);
  for (const field of styleFields) readName(found, body[field], [field], asked);
  readUnknown(found, body, imageFields);
  return found;
}

/** Words in the place of a picture. One may also be an object, in which its address is called as that of any image. */
function readPicture(found: Gathering, value: Json | undefined, path: JsonPath): void {
  const object = asObject(value);
  if (Array.isArray(value))
    asArray(value).forEach((item, at) => {
      readPicture(found, item, [...path, at]);
    });
  else if (object?.image_url === undefined) readMedium(found, value, path, asked);
  else {
    readMedium(found, object.image_url, [...path, 'image_url'], asked);
    readFields(found, object, path, asked, addressFields);
  }
}

/** What prompts have become on their way to the model; most pictures come without. */
export function readRevisedPrompts({ data }: JsonObject): Reading {
  const found = new Gathering();
  asArray(data).forEach((item, index) => {
    const speaker: Speaker = { role: 'assistant', kind: 'text', message: index };
    readLeaves(found, asObject(item)?.revised_prompt, ['data', index, 'revised_prompt'], speaker);
  });
  return found.said.length === 0 ? nothing : found;
}

/** Documents, or the texts that were embedded, as a reply says them once more; most replies have indexes and vectors alone. */
export function readEchoed(reply: JsonObject): Reading {
  const found = new Gathering();
  if (reply.texts !== undefined) readLeaves(found, reply.texts, ['texts'], echoed(0));
  for (const list of ['results', 'data'])
    asArray(reply[list]).forEach((item, index) => {
      const object = asObject(item) ?? {};
      for (const field of echoFields)
        if (object[field] !== undefined) readData(found, object[field], [list, index, field], echoed(index));
    });
  return found.said.length === 0 ? nothing : found;
}

const echoFields = ['document', 'text'] as const;
const echoed = (message: number): Speaker => ({ role: 'assistant', kind: 'text', message });

/** What the trained model will be called, in part. */
export function readModelName(body: JsonObject): Reading {
  const found = new Gathering();
  user(found, body.suffix, ['suffix']);
  return found;
}

export function readCompletionsReply(reply: JsonObject): Reading {
  if (!Array.isArray(reply.choices)) return unreadable('The reply has no list of choices.');
  const found = new Gathering();
  asArray(reply.choices).forEach((item, index) => {
    const choice = asObject(item);
    const text = choice?.text;
    if (typeof text === 'string') found.text(['choices', index, 'text'], text, 'assistant', 'text', index);
    else found.unreadable.push(`Choice ${index} of the reply is of an unknown form.`);
    if (choice !== undefined) readChoiceMembers(found, choice, ['choices', index], index, choiceFields);
  });
  readReplyMembers(found, reply, replyFields);
  return found;
}

const replyFields: ReadonlySet<string> = new Set(['choices']);
const choiceFields: ReadonlySet<string> = new Set(['text']);

function listed(value: Json | undefined, field: string): Gathering {
  const found = new Gathering();
  const items = asArray(value);
  if (!Array.isArray(value)) readInput(found, value, [field]);
  items.forEach((item, index) => {
    readInput(found, item, [field, index]);
  });
  if (items.some((item) => typeof item === 'number' || Array.isArray(item)))
    found.unreadable.push(`${field} holds token ids, which no check can read.`);
  return found;
}

/** A text, or what is embedded together: texts and media. */
function readInput(found: Gathering, value: Json | undefined, path: JsonPath): void {
  user(found, value, path);
  const object = asObject(value);
  if (object === undefined) return;
  readFields(found, object, path, asked, mediaFields);
  for (const field of mediaFields) readMedium(found, object[field], [...path, field], asked);
}

const completionFields: ReadonlySet<string> = new Set(['prompt', 'suffix']);
const embeddingFields: ReadonlySet<string> = new Set(['input']);
const embeddedFields: ReadonlySet<string> = new Set([
  ...['texts', 'inputs', 'images', 'input_type', 'embedding_types', 'truncate'],
]);
const rerankFields: ReadonlySet<string> = new Set(['query', 'documents', 'rank_fields']);
/** Pictures themselves hold no texts that could be read. */
const pictureFields = ['image', 'images', 'mask'] as const;
/** What a picture is to be like, in words of a list that the provider has. */
const styleFields = [
  ...['size', 'quality', 'style', 'background', 'moderation', 'output_format', 'response_format', 'input_fidelity'],
  ...['aspect_ratio', 'resolution'],
];
const imageFields: ReadonlySet<string> = new Set([...['prompt', 'negative_prompt', ...pictureFields, ...styleFields]]);
const addressFields: ReadonlySet<string> = new Set(['image_url']);
const asked: Speaker = { role: 'user', kind: 'text', message: 0 };
const mediaFields: ReadonlySet<string> = new Set(['image', 'video', 'audio']);

function user(found: Gathering, value: Json | undefined, path: JsonPath): void {
  if (typeof value === 'string') found.text(path, value, 'user', 'text', 0);
}
