import { asArray, asNumber, asObject, asString, type JsonObject } from '../../json.ts';
import { readUsage } from '../chat/usage.ts';
import type { Usage } from '../neutral.ts';
import { present } from '../present.ts';

/** Tokens, where the reply counts them in the way of chat replies. */
export function tokensUsed({ usage }: JsonObject): Usage | undefined {
  return readUsage(usage);
}

const noTokens = { input: 0, output: 0 } as const;

/** Units of search as cohere and its followers bill them, or tokens. */
export function rerankUsage(reply: JsonObject): Usage | undefined {
  const units = asNumber(asObject(reply.usage)?.search_units);
  const tokens = readUsage(reply.usage);
  if (units === undefined) return tokens;
  return { ...(tokens ?? noTokens), serverTools: { search_units: units } };
}

/** Tokens where they are told; in any case the pictures, with the quality and size that was asked for. An event tells of one. */
export function imagesUsage(reply: JsonObject, asked: JsonObject): Usage | undefined {
  const tokens = readUsage(reply.usage);
  const count = typeof reply.b64_json === 'string' ? 1 : asArray(reply.data).length;
  if (count === 0) return tokens;
  const images = present({
    count,
    quality: asString(reply.quality) ?? asString(asked.quality),
    size: asString(reply.size) ?? asString(asked.size),
  });
  const details = asObject(asObject(reply.usage)?.input_tokens_details);
  const pictures = asNumber(details?.image_tokens);
  if (tokens === undefined) return { ...noTokens, images };
  return present<Usage>({
    ...tokens,
    images,
    imageInput: tokens.imageInput ?? pictures,
    // What a model for pictures writes is pictures.
    imageOutput: tokens.imageOutput ?? tokens.output,
  });
}

/** Pages that were read. */
export function ocrUsage(reply: JsonObject): Usage | undefined {
  const pages = asNumber(asObject(reply.usage_info)?.pages_processed) ?? asArray(reply.pages).length;
  return pages === 0 ? undefined : { ...noTokens, serverTools: { ocr_pages: pages } };
}

/** Tokens, of which all that is written is sound; else the characters to speak, by which other models for speech are billed. */
export function speechUsage(reply: JsonObject, asked: JsonObject): Usage | undefined {
  const tokens = readUsage(reply.usage);
  if (tokens !== undefined) return { ...tokens, audioOutput: tokens.audioOutput ?? tokens.output };
  const text = asString(asked.input);
  return text === undefined ? undefined : { ...noTokens, serverTools: { input_characters: text.length } };
}

/** Tokens, or whole seconds of sound. */
export function audioUsage(reply: JsonObject): Usage | undefined {
  const usage = asObject(reply.usage);
  const seconds = asNumber(usage?.seconds) ?? asNumber(reply.duration);
  const tokens = usage?.type === 'duration' ? undefined : readUsage(reply.usage);
  if (tokens !== undefined) {
    const heard = asNumber(asObject(usage?.input_token_details ?? usage?.input_tokens_details)?.audio_tokens);
    // Some count the words that come out in tokens, and what they hear in seconds.
    const counted = asNumber(usage?.prompt_audio_seconds);
    const serverTools =
      counted === undefined ? tokens.serverTools : { ...tokens.serverTools, audio_seconds: Math.ceil(counted) };
    return present<Usage>({ ...tokens, serverTools, audioInput: tokens.audioInput ?? heard });
  }
  return seconds === undefined ? undefined : { ...noTokens, serverTools: { audio_seconds: Math.ceil(seconds) } };
}
