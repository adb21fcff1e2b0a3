import { asArray, asBoolean, asNumber, asObject, asString, type Json, type JsonObject } from '../../json.ts';
import type { Call, ResponseFormat } from '../neutral.ts';
import { camelKeys } from './camel.ts';
import { jsonSchemaOf } from './schema.ts';
import { decodeThinking } from './thinking.ts';

type Fields = { -readonly [Key in keyof Call]?: Call[Key] };

const numbers: Readonly<Record<string, keyof Call>> = {
  maxOutputTokens: 'maxTokens',
  temperature: 'temperature',
  topP: 'topP',
  topK: 'topK',
  seed: 'seed',
  candidateCount: 'n',
  presencePenalty: 'presencePenalty',
  frequencyPenalty: 'frequencyPenalty',
  logprobs: 'topLogprobs',
};

/** The neutral fields of a `generationConfig`, and what of it has no neutral name. */
export function decodeConfig(value: unknown): { readonly fields: Fields; readonly rest: JsonObject } {
  const config = camelKeys(asObject(value) ?? {});
  const rest: { [key: string]: Json } = {};
  const numeric: { [key: string]: number } = {};
  const fields: Fields = {};
  const format = formatOf(config);
  for (const [key, item] of Object.entries(config)) {
    const name = Object.hasOwn(numbers, key) ? numbers[key] : undefined;
    const number = asNumber(item);
    if (name !== undefined && number !== undefined) {
      numeric[name] = number;
      continue;
    }
    switch (key) {
      case 'stopSequences':
        fields.stop = asArray(item).filter((word) => typeof word === 'string');
        break;
      case 'responseModalities':
        fields.modalities = asArray(item).flatMap((word) => asString(word)?.toLowerCase() ?? []);
        break;
      case 'responseLogprobs':
        fields.logprobs = asBoolean(item) ?? false;
        break;
      case 'thinkingConfig': {
        const { reasoning, rest: kept } = decodeThinking(item);
        if (reasoning !== undefined) fields.reasoning = reasoning;
        if (kept !== undefined) rest[key] = kept;
        break;
      }
      case 'responseMimeType':
      case 'responseSchema':
      case 'responseJsonSchema':
        if (format === undefined) rest[key] = item;
        break;
      default:
        rest[key] = item;
    }
  }
  if (format !== undefined) fields.responseFormat = format;
  return { fields: { ...fields, ...numeric }, rest };
}

/** Undefined for types that only this format knows, such as `text/x.enum`. */
function formatOf(config: JsonObject): ResponseFormat | undefined {
  const mimeType = asString(config.responseMimeType);
  if (mimeType === 'text/plain') return { type: 'text' };
  if (mimeType !== 'application/json') return undefined;
  const openApi = asObject(config.responseSchema);
  const schema = asObject(config.responseJsonSchema) ?? (openApi && jsonSchemaOf(openApi));
  return schema === undefined ? { type: 'json_object' } : { type: 'json_schema', name: 'response', schema };
}
