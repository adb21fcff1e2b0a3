import { GatewayError } from '../../errors.ts';
import { asObject, asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import type { EmbeddingInput, MixedInput } from '../neutral.ts';
import { present } from '../present.ts';

const media = ['image', 'video'] as const;
const fields: ReadonlySet<string> = new Set(['type', 'text', 'content', ...media]);

/**
 * An object of the list `input`: `{ text?, image?, video? }`, where a medium is a URL, a data URL, `{ url }` or
 * `{ base64, mime_type }`; or `{ content }`, a text or parts as those of chats. One with a text alone is that text.
 * @throws GatewayError `translation_unsupported` for any other
 */
export function mixedInput(item: JsonObject, index: number): EmbeddingInput {
  const parts = asObjects(item.content);
  const texts = [item.text, item.content, ...parts.map(({ text }) => text)].flatMap((text) => asString(text) ?? []);
  const found = present<MixedInput>({
    text: texts.length === 0 ? undefined : texts.join('\n'),
    image: urlOf(item.image) ?? urlOf(parts.find((part) => part.image_url !== undefined)?.image_url),
    video: urlOf(item.video) ?? urlOf(parts.find((part) => part.video_url !== undefined)?.video_url),
  });
  const said = Object.keys(found).length;
  const unread = Object.keys(item).some((field) => !fields.has(field)) || parts.length > texts.length + said;
  if (said === 0 || unread) {
    throw new GatewayError('translation_unsupported', 'This provider takes no input of this form.', {
      param: `input[${index}]`,
    });
  }
  return said === 1 && found.text !== undefined ? found.text : found;
}

function urlOf(value: Json | undefined): string | undefined {
  const object = asObject(value);
  const data = asString(object?.base64);
  if (data === undefined) return asString(value) ?? asString(object?.url);
  return `data:${asString(object?.mime_type) ?? 'image/png'};base64,${data}`;
}

export function isMixedInput(input: EmbeddingInput): input is MixedInput {
  return typeof input === 'object' && !Array.isArray(input);
}
