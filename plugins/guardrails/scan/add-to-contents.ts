import { asArray, asObject, type Json, type JsonObject } from 'portcullis/sdk';
import { type MessageEdit, placeOf } from './add-to-message.ts';
import { membersOf } from './contents.ts';

/** The `generateContent` request with a text added to the first content of a role; a text is a part of its own. */
export function addToContents(body: JsonObject, edit: MessageEdit): JsonObject {
  const [inside] = membersOf(body, 'generateContentRequest');
  if (inside !== undefined && body.contents === undefined)
    return { ...body, [inside[0]]: addToContents(asObject(inside[1]) ?? {}, edit) };
  return edit.message === 'system' ? inInstruction(body, edit) : inContents(body, edit);
}

function inInstruction(body: JsonObject, edit: MessageEdit): JsonObject {
  const [known] = membersOf(body, 'systemInstruction').filter(([, value]) => value !== null);
  if (known === undefined) {
    return edit.create === false ? body : { ...body, systemInstruction: { parts: [{ text: edit.add }] } };
  }
  const [key, value] = known;
  const content = typeof value === 'string' ? { parts: [{ text: value }] } : (asObject(value) ?? {});
  return { ...body, [key]: withPart(content, edit) };
}

function inContents(body: JsonObject, edit: MessageEdit): JsonObject {
  const list = listOf(body.contents).map(
    (item): Json => (typeof item === 'string' ? { parts: [{ text: item }] } : item),
  );
  const role = edit.message === 'assistant' ? 'model' : 'user';
  const index = list.findIndex((item) => (asObject(item)?.role ?? 'user') === role);
  const found = edit.apart === true ? undefined : asObject(list[index]);
  if (found !== undefined)
    return { ...body, contents: list.map((item, at) => (at === index ? withPart(found, edit) : item)) };
  if (edit.create === false && edit.apart !== true) return body;
  const made = { role, parts: [{ text: edit.add }] };
  return { ...body, contents: list.toSpliced(placeOf(edit, index, list.length), 0, made) };
}

function withPart(content: JsonObject, { at, add }: MessageEdit): JsonObject {
  const parts = listOf(content.parts);
  return { ...content, parts: at === 'start' ? [{ text: add }, ...parts] : [...parts, { text: add }] };
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? asArray(value) : [value];
}
