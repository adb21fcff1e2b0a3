import { asArray, asObject, asObjects, asString, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { areSameItems } from '../same-items.ts';
import { makerOf } from '../signature.ts';
import { standIn } from './encode-contents.ts';
import { isLevelModel } from './thinking.ts';

/**
 * A request without the signatures that other makers' models gave, which the API refuses. Where the model demands one of the
 * first call of the current turn, and another's could give none, the word of the documents stands for it.
 */
export function ownHistory(body: JsonObject, context: CodecContext): JsonObject {
  const contents = asArray(body.contents);
  const turnStart = isLevelModel(asString(body.model) ?? '') ? currentTurn(contents) : Number.POSITIVE_INFINITY;
  const kept = contents.flatMap((content, at) => ownContent(content, at > turnStart, context));
  return areSameItems(kept, contents) ? body : { ...body, contents: kept };
}

/** The last content that a person wrote. */
function currentTurn(contents: readonly Json[]): number {
  return contents.findLastIndex((value) => {
    const content = asObject(value);
    return content?.role !== 'model' && asObjects(content?.parts).some(({ text }) => text !== undefined);
  });
}

/** The very same content where there is nothing to change, none where nothing is left. */
function ownContent(value: Json, isCurrent: boolean, context: CodecContext): readonly Json[] {
  const content = asObject(value);
  if (content?.role !== 'model') return [value];
  const given = asArray(content.parts);
  const parts = given.flatMap((part) => ownPart(part, context));
  const calls = parts.filter((part) => isCall(asObject(part)));
  const unsigned = isCurrent && !calls.some((part) => signatureOf(asObject(part)) !== undefined) ? calls[0] : undefined;
  const signed = parts.map((part) => (part === unsigned ? { ...asObject(part), thoughtSignature: standIn } : part));
  if (areSameItems(signed, given)) return [value];
  return signed.length === 0 ? [] : [{ ...content, parts: signed }];
}

const signature: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);

/** An empty text was there for its signature alone. */
function ownPart(value: Json, context: CodecContext): readonly Json[] {
  const part = asObject(value);
  const maker = makerOf(signatureOf(part) ?? '');
  if (part === undefined || maker === undefined || maker === 'gemini') return [value];
  context.dropped('thoughtSignature');
  return part.text === '' ? [] : [omit(part, signature)];
}

function signatureOf(part: JsonObject | undefined): string | undefined {
  return asString(part?.thoughtSignature) ?? asString(part?.thought_signature);
}

function isCall(part: JsonObject | undefined): boolean {
  return part?.functionCall !== undefined || part?.function_call !== undefined;
}
