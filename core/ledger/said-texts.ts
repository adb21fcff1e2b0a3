import {
  type CodecContext,
  type Completion,
  type Delta,
  type DialectName,
  dialects,
  isMixedInput,
  type JsonObject,
  type Part,
  type ReplyContext,
  type Tool,
} from 'portcullis/sdk';

/** Texts, and tokens that no text shows: the frame of a message, token numbers in the place of a text. */
export interface Said {
  readonly texts: readonly string[];
  readonly tokens: number;
}

/** What the frame of a message takes in the chat format, and the beginning of an answer. */
const tokensPerMessage = 4;
const tokensOfOpening = 3;

const context: CodecContext = { strict: false, dropped: () => {} };

/** Reads a reply for what it says, and nothing else of it. */
export const readingContext: ReplyContext = {
  ...context,
  request: {},
  newId: (prefix) => prefix,
  nowSeconds: () => 0,
};

/** What a request in a client's format says to a model. Pictures, sounds and files are left out: nobody here knows their tokens. */
export function saidInRequest(name: DialectName, body: JsonObject): Said {
  const dialect = dialects[name];
  try {
    if (dialect.kind === 'embedding') {
      const { input } = dialect.decodeCall(body, context);
      const texts = input.flatMap((item) =>
        typeof item === 'string' ? item : isMixedInput(item) ? (item.text ?? []) : [],
      );
      return { texts, tokens: input.reduce((sum, item) => sum + (Array.isArray(item) ? item.length : 0), 0) };
    }
    if (dialect.kind === 'document') return { texts: stringsIn(body), tokens: 0 };
    const call = dialect.decodeCall(body, context);
    const texts = call.messages.flatMap(({ parts }) => parts.flatMap(partTexts));
    const tools = (call.tools ?? []).map(toolText);
    return { texts: [...texts, ...tools], tokens: call.messages.length * tokensPerMessage + tokensOfOpening };
  } catch {
    // It was sent to a provider of its own format, which can say more than the neutral form.
    return { texts: stringsIn(body), tokens: tokensOfOpening };
  }
}

/** What a whole answer says. */
export function saidInReply({ choices }: Completion): Said {
  return { texts: choices.flatMap(({ parts }) => parts.flatMap(partTexts)), tokens: 0 };
}

/** What one step of a stream says; undefined: it is no text. */
export function saidInStep(delta: Delta): string | undefined {
  switch (delta.type) {
    case 'text':
    case 'refusal':
    case 'thinking':
    case 'tool-arguments':
      return delta.text;
    case 'tool-call':
      return delta.name;
    case 'part':
      return partTexts(delta.part).join('');
    case 'audio':
      return typeof delta.audio.transcript === 'string' ? delta.audio.transcript : undefined;
    case 'start':
    case 'citation':
    case 'signature':
    case 'redacted-thinking':
    case 'logprobs':
    case 'finish':
    case 'usage':
    case 'extra':
    case 'fault':
    case 'end':
      return undefined;
  }
}

function partTexts(part: Part): readonly string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'thinking':
      return [part.text];
    case 'tool-call':
      return [part.name, part.arguments];
    case 'tool-result':
      return part.content.flatMap(partTexts);
    case 'file':
      return part.source.kind === 'text' ? [part.source.text] : [];
    case 'audio':
      return part.transcript === undefined ? [] : [part.transcript];
    case 'native':
      return stringsIn(part.value);
    case 'image':
    case 'redacted-thinking':
      return [];
  }
}

function toolText(tool: Tool): string {
  switch (tool.type) {
    case 'function':
      return [tool.name, tool.description ?? '', JSON.stringify(tool.parameters ?? {})].join(' ');
    case 'custom':
      return [tool.name, tool.description ?? '', JSON.stringify(tool.format ?? {})].join(' ');
    case 'native':
      return JSON.stringify(tool.value);
  }
}

/** Bytes that are written as text are longer than most words of a language. */
const longestWord = 2_000;

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length > longestWord && !/\s/.test(value) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
