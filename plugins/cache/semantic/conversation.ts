import { asObject, asString, type Endpoint, type Json, type JsonObject, type TargetContext } from 'portcullis/sdk';

/** A request that can be compared by its meaning. */
export interface Conversation {
  /** What is said, without what the system says. */
  readonly text: string;
  /** All that must be equal: the body with the places of the texts in it, and without the texts. */
  readonly frame: JsonObject;
}

const mostMessages = 4;
/** More is beyond what embedding models take. */
const mostTokens = 8_191;

type Reader = (body: JsonObject) => Conversation | undefined;

const readers: Readonly<Partial<Record<Endpoint, Reader>>> = {
  chatComplete: spoken,
  messages: spoken,
  complete: ({ prompt, ...frame }) => {
    const text = asString(prompt);
    return text === undefined ? undefined : { text, frame: { ...frame, prompt: null } };
  },
};

/** Undefined where there is more than text, more than four messages, or too much of it. */
export function conversationOf({ request, body }: TargetContext): Conversation | undefined {
  const read = request.dialect === 'gemini' ? contents : readers[request.endpoint];
  const conversation = request.endpoint === 'messagesCountTokens' ? undefined : read?.(body);
  if (conversation === undefined || conversation.text.trim() === '') return undefined;
  return tokensIn(conversation.text) < mostTokens ? conversation : undefined;
}

/** Roles whose messages are instructions, and part of the frame as they are. */
const instructing: ReadonlySet<string> = new Set(['system', 'developer']);
const speaking: ReadonlySet<string> = new Set(['user', 'assistant']);

function spoken(body: JsonObject): Conversation | undefined {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length > mostMessages) return undefined;
  const said: string[] = [];
  const kept: Json[] = [];
  for (const given of messages as readonly Json[]) {
    const message = asObject(given);
    const role = asString(message?.role);
    if (message === undefined || role === undefined) return undefined;
    if (instructing.has(role)) {
      kept.push(message);
      continue;
    }
    const { content, ...others } = message;
    const text = speaking.has(role) ? textOf(content) : undefined;
    // Tool calls and whatever else a message may hold cannot be compared by meaning.
    if (text === undefined || Object.keys(others).some((name) => name !== 'role' && name !== 'name')) return undefined;
    said.push(`${role}: ${text}`);
    kept.push(others);
  }
  return { text: said.join('\n'), frame: { ...body, messages: kept } };
}

/** Turns that hold nothing but text; the instruction of the system is part of the frame. */
function contents(body: JsonObject): Conversation | undefined {
  if (!Array.isArray(body.contents) || body.contents.length > mostMessages) return undefined;
  const said: string[] = [];
  const kept: Json[] = [];
  for (const given of body.contents as readonly Json[]) {
    const { parts, ...others } = asObject(given) ?? {};
    const texts = Array.isArray(parts) ? (parts as readonly Json[]).map(onlyText) : [undefined];
    if (texts.includes(undefined) || Object.keys(others).some((name) => name !== 'role')) return undefined;
    said.push(`${others.role === 'model' ? 'assistant' : 'user'}: ${texts.join('\n')}`);
    kept.push(others);
  }
  return { text: said.join('\n'), frame: { ...body, contents: kept } };
}

function onlyText(part: Json): string | undefined {
  const { text, ...others } = asObject(part) ?? {};
  return typeof text === 'string' && Object.keys(others).length === 0 ? text : undefined;
}

/** The text of a content that is nothing but text. */
function textOf(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts: string[] = [];
  for (const part of content as readonly Json[]) {
    const { type, text, ...others } = asObject(part) ?? {};
    if (type !== 'text' || typeof text !== 'string' || Object.keys(others).length > 0) return undefined;
    texts.push(text);
  }
  return texts.join('\n');
}

/** An estimate: four letters of ASCII are a token, any other letter is one. */
function tokensIn(text: string): number {
  const others = text.length - (text.match(/[\0-\x7f]/g)?.length ?? 0);
  return Math.ceil((text.length - others) / 4) + others;
}
