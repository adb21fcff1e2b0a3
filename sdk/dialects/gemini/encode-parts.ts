import { GatewayError } from '../../errors.ts';
import { asObject, compact, type JsonObject, parseJson } from '../../json.ts';
import type { AudioPart, FilePart, ImagePart, Part, ToolCallPart, ToolResultPart } from '../neutral.ts';
import { makerOf } from '../signature.ts';
import { encodeMedia } from './media.ts';

export interface PartOptions {
  /** The parts come from this format: nothing is guessed. */
  readonly same: boolean;
  /** Where the parts are, in the caller's terms: `messages[2].content`. */
  readonly path: string;
  /** Thinking without a signature is kept: for replies, whose reader is a person. */
  readonly keepThoughts: boolean;
  /** The reader is the provider, which refuses the signatures of other makers. */
  readonly verified: boolean;
  /** Stands in for the missing signature of the first tool call. */
  readonly standIn?: string | undefined;
  dropped(field: string): void;
}

/**
 * The wire parts of one message; tool results are not among them.
 * @throws GatewayError `translation_unsupported` for a file id that is no URI
 */
export function encodeParts(parts: readonly Part[], options: PartOptions): readonly JsonObject[] {
  const encoded: JsonObject[] = [];
  let proof: string | undefined;
  let standIn = parts.some((part) => part.type === 'tool-call' && part.signature) ? undefined : options.standIn;
  const push = (part: JsonObject): void => {
    encoded.push(proof === undefined ? part : { ...part, thoughtSignature: proof });
    proof = undefined;
  };
  const flush = (): void => {
    if (proof !== undefined) push({ text: '' });
  };
  for (const [index, part] of parts.entries()) {
    const path = `${options.path}[${index}]`;
    if (isCached(part)) options.dropped('cache_control');
    switch (part.type) {
      case 'text':
        if (part.text !== '') push({ text: part.text });
        break;
      case 'refusal':
        push({ text: part.text });
        break;
      case 'image':
      case 'file':
      case 'audio':
        push(mediaPart(part, path, options));
        break;
      case 'thinking': {
        flush();
        const signature = options.verified ? ownSignature(part.signature) : part.signature;
        if (part.text === '') proof = signature;
        else if (signature || options.keepThoughts) encoded.push(thought(part.text, signature));
        if (part.signature !== signature || (part.text !== '' && !signature && !options.keepThoughts)) {
          options.dropped(path);
        }
        break;
      }
      case 'tool-call':
        flush();
        encoded.push(encodeToolCall(part, standIn));
        standIn = undefined;
        break;
      case 'native':
        if (part.dialect !== 'gemini') {
          options.dropped(path);
          break;
        }
        flush();
        encoded.push(part.value);
        break;
      case 'redacted-thinking':
      case 'tool-result':
        options.dropped(path);
        break;
    }
  }
  flush();
  return encoded;
}

function ownSignature(signature: string | undefined): string | undefined {
  return signature !== undefined && (makerOf(signature) ?? 'gemini') === 'gemini' ? signature : undefined;
}

export function thought(text: string, signature: string | undefined): JsonObject {
  return compact({ text, thought: true, thoughtSignature: signature || undefined });
}

export function encodeToolCall(part: ToolCallPart, standIn?: string): JsonObject {
  return compact({
    functionCall: compact({ id: part.id || undefined, name: part.name, args: argumentsOf(part) }),
    thoughtSignature: part.signature || standIn,
  });
}

function argumentsOf(part: ToolCallPart): JsonObject {
  if (!part.custom && part.arguments.trim() === '') return {};
  const parsed = part.custom ? undefined : asObject(parseJson(part.arguments));
  return parsed ?? { input: part.arguments };
}

function mediaPart(part: ImagePart | FilePart | AudioPart, path: string, options: PartOptions): JsonObject {
  const media = encodeMedia(part, options.same);
  if (media === undefined) {
    // The provider's own audio of an earlier turn: its words are what matters to the model.
    if (part.type === 'audio' && part.transcript) return { text: part.transcript };
    throw new GatewayError(
      'translation_unsupported',
      'A file id of another provider cannot be used here. Send the content itself or a URL.',
      { param: path },
    );
  }
  if (part.type === 'file' && !options.same) {
    for (const field of ['filename', 'title', 'context'] as const) {
      if (part[field] !== undefined) options.dropped(`${path}.${field}`);
    }
  }
  if (part.type !== 'image' || part.detail === undefined) return media;
  if (options.same) return { ...media, mediaResolution: { level: `MEDIA_RESOLUTION_${part.detail.toUpperCase()}` } };
  options.dropped(`${path}.detail`);
  return media;
}

/** A tool result: the `functionResponse` part, and the media that goes beside it. */
export function encodeToolResult(
  part: ToolResultPart,
  name: string,
  options: PartOptions,
): { readonly response: JsonObject; readonly beside: readonly JsonObject[] } {
  const text = part.content.map((item) => (item.type === 'text' || item.type === 'refusal' ? item.text : '')).join('');
  const media = encodeParts(
    part.content.filter((item) => item.type !== 'text' && item.type !== 'refusal'),
    options,
  );
  if (isCached(part)) options.dropped('cache_control');
  const inside = options.same && media.length > 0 ? media : undefined;
  const response = compact({
    id: part.callId || undefined,
    name,
    response: responseOf(text, part.isError),
    parts: inside,
  });
  return { response: { functionResponse: response }, beside: inside === undefined ? media : [] };
}

function responseOf(text: string, isError: boolean | undefined): JsonObject {
  if (isError) return { error: text };
  return asObject(parseJson(text)) ?? { result: text };
}

function isCached(part: Part): boolean {
  return 'cache' in part && part.cache !== undefined;
}
