import { asNumber, asObject, asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import { errorTextAlone, faultStatus, faultType } from '../fault.ts';
import type { ProviderFault } from '../neutral.ts';
import { present } from '../present.ts';

const UNKNOWN_STATUS = faultStatus(undefined);

/**
 * Reads an error body: `{ error: { message, type, param, code } }`. With a status of 400 or more also the shapes of
 * compatible servers: `{ error: 'text' }`, `{ message }`, `{ detail }`, `{ errors: [...] }`. With any other status only an
 * error object counts, and the text of an error that stands alone.
 */
export function readFault(json: JsonObject, status: number): ProviderFault | undefined {
  const error = asObject(json.error) ?? (json.object === 'error' ? json : undefined);
  if (error !== undefined) return faultFrom(error, status);
  const message = status < 400 ? errorTextAlone(json) : looseMessage(json);
  return message === undefined ? undefined : faultFrom({ ...json, message }, status);
}

/** The error body of the chat, completions and embeddings formats, which has no place for a request id. */
export function writeFault(fault: ProviderFault): JsonObject {
  return {
    error: {
      message: fault.message,
      type: fault.type ?? faultType(fault.status),
      param: fault.param ?? null,
      code: fault.code ?? null,
    },
  };
}

function faultFrom(error: JsonObject, status: number): ProviderFault {
  const type = asString(error.type) || undefined;
  const code = asString(error.code) ?? asNumber(error.code);
  return present<ProviderFault>({
    status: status >= 400 ? status : statusInside(type, code, error.status),
    message: asString(error.message) || textOf(error.detail) || type || 'The provider answered with an error.',
    type,
    code,
    param: asString(error.param),
  });
}

function statusInside(type: string | undefined, code: string | number | undefined, status: Json | undefined): number {
  const numeric = [code, status].map(Number).find((number) => number >= 400 && number <= 599);
  if (numeric !== undefined) return numeric;
  const byType = faultStatus(type);
  return byType === UNKNOWN_STATUS && typeof code === 'string' ? faultStatus(code) : byType;
}

/** What an error says that has no error object: `{ error: 'text' }`, `{ message }`, `{ detail }`, `{ errors: [...] }` and their like. */
export function looseMessage(json: JsonObject): string | undefined {
  const candidates = [json.error, json.message, json.detail, json.errors, json.error_message, json.title];
  return candidates.map(textOf).find((text) => text !== undefined);
}

/** Text of a string, or of a list of strings or of validation errors (`msg`, `message`). */
function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value || undefined;
  const inside = asObject(value);
  if (inside !== undefined) return asString(inside.message) ?? asString(inside.msg) ?? asString(inside.error);
  if (!Array.isArray(value)) return undefined;
  const texts = [
    ...value.filter((item) => typeof item === 'string'),
    ...asObjects(value).flatMap((item) => asString(item.msg) ?? asString(item.message) ?? []),
  ];
  return texts.join('; ') || undefined;
}
