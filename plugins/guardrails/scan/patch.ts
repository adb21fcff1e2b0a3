import {
  applyEdits,
  asArray,
  asObject,
  type Edit,
  GatewayError,
  type Json,
  type JsonObject,
  omit,
  parseJson,
  type TextEdit,
} from 'portcullis/sdk';
import { addToMessage, type MessageEdit } from './add-to-message.ts';
import { Draft } from './draft.ts';
import type { Fragment, ImagePlace, JsonPath, Reading } from './reading.ts';
import type { Scan } from './scan.ts';
import { forgetTokens } from './token-lists.ts';

/** Edits of one check, with the scan whose texts they count. */
export interface ScannedEdits {
  readonly scan: Scan;
  readonly edits: readonly Edit[];
}

type ImageEdit = Extract<Edit, { image: number }>;

/**
 * The body after the edits of all checks. The given body is not changed.
 * @throws GatewayError `check_failed` for an edit of something that is not there, or that would break what it stands in
 */
export function patched(
  body: JsonObject,
  reading: Reading,
  given: readonly ScannedEdits[],
  place: { readonly dialect: string | undefined; readonly part: 'request' | 'reply' },
): JsonObject {
  const texts = new Map<Fragment, TextEdit[]>();
  const images: ImageEdit[] = [];
  const messages: MessageEdit[] = [];
  for (const { scan, edits } of given) {
    for (const edit of edits) {
      if ('image' in edit) images.push(edit);
      else if ('message' in edit) messages.push(edit);
      else add(texts, scan, edit);
    }
  }
  const draft = new Draft(body);
  for (const [fragment, edits] of texts) draft.put(fragment.path, editedText(fragment, edits));
  if (place.part === 'reply') forgetTokens(draft, texts.keys());
  for (const edit of images) draft.put(...imageAt(draft.body, reading.images[edit.image], edit, place.dialect));
  return messages.reduce((changed, edit) => addToMessage(changed, edit, place), draft.body);
}

function add(texts: Map<Fragment, TextEdit[]>, scan: Scan, edit: Extract<Edit, { text: number }>): void {
  const at = scan.places[edit.text];
  const text = scan.texts[edit.text]?.text ?? '';
  if (at === undefined || !(edit.start >= 0 && edit.start <= edit.end && edit.end <= text.length))
    throw failed('A check wants to change a text that is not there.');
  if (at.fragment.fixed) return;
  const moved = { start: edit.start + at.offset, end: edit.end + at.offset, with: edit.with };
  const known = texts.get(at.fragment);
  if (known === undefined) texts.set(at.fragment, [moved]);
  else known.push(moved);
}

/** @throws GatewayError `check_failed` for an edit that would break the arguments of a tool call */
export function editedText(fragment: Fragment, edits: readonly TextEdit[]): Json {
  const isJson = fragment.json || (fragment.kind === 'tool-arguments' && parseJson(fragment.text) !== undefined);
  if (!isJson) return applyEdits(fragment.text, edits);
  try {
    return editedJson(fragment, edits);
  } catch (error) {
    if (error instanceof RangeError) throw failed('A tool call is too large or nested too deeply to be changed.');
    throw error;
  }
}

function editedJson(fragment: Fragment, edits: readonly TextEdit[]): Json {
  const plain = applyEdits(fragment.text, edits.map(escaped));
  const text = parseJson(plain) === undefined ? applyEdits(fragment.text, quotingBare(fragment.text, edits)) : plain;
  const value = parseJson(text);
  if (value === undefined) throw failed('A change would break the JSON of a tool call.');
  return fragment.json ? value : text;
}

function escaped(edit: TextEdit): TextEdit {
  return { ...edit, with: JSON.stringify(edit.with).slice(1, -1) };
}

/** Strings, and what stands in JSON without quotes: numbers, true, false and null. */
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+/g;

/** The edits inside JSON, where a number that loses its digits becomes a string. */
function quotingBare(text: string, edits: readonly TextEdit[]): readonly TextEdit[] {
  const rest = new Set(edits);
  const quoted: TextEdit[] = [];
  const waiting = edits.toSorted((a, b) => a.start - b.start);
  let next = 0;
  for (const { 0: token, index } of text.matchAll(jsonTokens)) {
    const end = index + token.length;
    const begun: TextEdit[] = [];
    for (let edit = waiting[next]; edit !== undefined && edit.start <= end; edit = waiting[next]) {
      begun.push(edit);
      next += 1;
    }
    const within = token.startsWith('"') ? [] : begun.filter((edit) => edit.start >= index && edit.end <= end);
    if (within.length === 0) continue;
    for (const edit of within) rest.delete(edit);
    const moved = within.map((edit) => ({ ...edit, start: edit.start - index, end: edit.end - index }));
    quoted.push({ start: index, end, with: JSON.stringify(applyEdits(token, moved)) });
  }
  return [...[...rest].map(escaped), ...quoted];
}

const mediaOfPart: ReadonlySet<string> = new Set(['inlineData', 'inline_data', 'fileData', 'file_data']);

function imageAt(
  body: JsonObject,
  place: ImagePlace | undefined,
  { mediaType, data }: ImageEdit,
  dialect: string | undefined,
): readonly [JsonPath, Json] {
  if (place === undefined) throw failed('A check wants to change an image that is not there.');
  if (!/^image\/[a-z0-9.+-]{1,40}$/.test(mediaType)) throw failed('A check gave an image without a type of its own.');
  const part = asObject(valueAt(body, place.path)) ?? {};
  const url = `data:${mediaType};base64,${data}`;
  if (dialect === 'messages') return [[...place.path, 'source'], { type: 'base64', media_type: mediaType, data }];
  if (dialect === 'responses') return [[...place.path, 'image_url'], url];
  if (dialect === 'gemini')
    return [place.path, { ...omit(part, mediaOfPart), inlineData: { mimeType: mediaType, data } }];
  return [[...place.path, 'image_url'], { ...asObject(part.image_url), url }];
}

export function valueAt(value: Json, path: JsonPath): Json {
  return path.reduce<Json>(
    (inside, step) => (typeof step === 'number' ? asArray(inside)[step] : asObject(inside)?.[step]) ?? null,
    value,
  );
}

export function failed(why: string): GatewayError {
  return new GatewayError('check_failed', why);
}
