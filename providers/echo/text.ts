import type { Call, Part } from 'portcullis/sdk';

/** The words of a text, each with the white space behind it; joined they are the text again. */
export function wordsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\s)(?=\S)/);
}

const wordsUpTo = 16_384;
const pieceLength = 1024;

/** The pieces that a text is streamed in: words, or a kilobyte each of a long text. Joined they are the text again. */
export function piecesOf(text: string): readonly string[] {
  if (text.length <= wordsUpTo) return wordsOf(text);
  const count = Math.ceil(text.length / pieceLength);
  return Array.from({ length: count }, (_, index) => text.slice(index * pieceLength, (index + 1) * pieceLength));
}

/** Tokens by the usual rule of thumb: four characters each. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / 4);
}

/** What the echo repeats: the text of the last user message. */
export function lastUserText(call: Call): string {
  const message = call.messages.findLast(
    ({ role, parts }) => role === 'user' && parts.some(({ type }) => type === 'text'),
  );
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Tokens of everything that the model reads: messages and tools; at least one. */
export function inputTokens(call: Call): number {
  const messages = call.messages.reduce((sum, { parts }) => sum + charactersOf(parts), 0);
  const tools = call.tools === undefined ? 0 : JSON.stringify(call.tools).length;
  return Math.max(1, tokensOf(messages + tools));
}

export function charactersOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + charactersOfPart(part), 0);
}

function charactersOfPart(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return part.text.length;
    case 'tool-call':
      return part.name.length + part.arguments.length;
    case 'tool-result':
      return charactersOf(part.content);
    case 'file':
      return part.source.kind === 'text' ? part.source.text.length : 0;
    case 'image':
    case 'audio':
    case 'redacted-thinking':
    case 'native':
      return 0;
  }
}
