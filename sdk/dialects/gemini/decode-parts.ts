import { asObject, asString, type JsonObject } from '../../json.ts';
import type { Part } from '../neutral.ts';
import { camelKeys } from './camel.ts';
import { decodeMedia } from './media.ts';

/**
 * The neutral parts of the parts of one content, `functionResponse` aside. Neighbouring thoughts are one thinking part.
 * A signature on a text or a media part, which neutral parts have no field for, becomes an empty thinking part in front
 * of it: that is how it survives formats that can carry thinking, and where `encodeParts` looks for it.
 */
export function decodeParts(parts: readonly JsonObject[], newCallId: (name: string) => string): readonly Part[] {
  const decoded: Part[] = [];
  for (const wire of parts) {
    for (const part of decodePart(wire, newCallId)) {
      const last = decoded.at(-1);
      const continues = part.type === 'thinking' && wire.thought === true;
      if (continues && last?.type === 'thinking' && last.signature === undefined) {
        decoded[decoded.length - 1] = { ...part, text: last.text + part.text };
      } else {
        decoded.push(part);
      }
    }
  }
  return decoded;
}

/** The neutral parts of one part: none for an empty text, two for a signed text. */
export function decodePart(wire: JsonObject, newCallId: (name: string) => string): readonly Part[] {
  const part = camelKeys(wire);
  const signature = asString(part.thoughtSignature);
  const signed = signature === undefined ? {} : { signature };
  const call = asObject(part.functionCall);
  if (call !== undefined) {
    const name = asString(call.name) ?? '';
    const id = asString(call.id) || newCallId(name);
    return [{ type: 'tool-call', id, name, arguments: JSON.stringify(asObject(call.args) ?? {}), ...signed }];
  }
  const text = asString(part.text);
  if (part.thought === true) {
    // An interim image of the thinking is not part of the answer.
    return text === undefined ? [native(wire)] : [{ type: 'thinking', text, ...signed }];
  }
  const proof: readonly Part[] = signature === undefined ? [] : [{ type: 'thinking', text: '', signature }];
  if (text !== undefined) return text === '' ? proof : [...proof, { type: 'text', text }];
  const media = decodeMedia(part);
  return media === undefined ? [native(wire)] : [...proof, media];
}

function native(value: JsonObject): Part {
  return { type: 'native', dialect: 'gemini', value };
}
