import {
  asArray,
  asObjects,
  asString,
  compact,
  dialects,
  GatewayError,
  type Json,
  type JsonObject,
  omit,
  type ReplyFacts,
  wordAsCode,
} from 'portcullis/sdk';

/** A chat body as `generateMessage` takes it: what the system says is the context, and the turns alternate. */
export function messagePrompt(body: JsonObject): JsonObject {
  if (asArray(body.tools).length > 0 || asArray(body.functions).length > 0)
    throw new GatewayError('translation_unsupported', 'This provider has no tools.', { param: 'tools' });
  const said = asObjects(body.messages).map(({ role, content }, place) => ({ role, content: textOf(content, place) }));
  const isRule = ({ role }: { readonly role: Json | undefined }) => role === 'system' || role === 'developer';
  const context = said.filter(isRule).map(({ content }) => content);
  const messages = said
    .filter((message) => !isRule(message))
    .map(({ role, content }) => ({ author: role === 'assistant' ? '1' : '0', content }));
  return {
    ...omit(body, new Set(['model', 'messages'])),
    prompt: compact({ context: context.length === 0 ? undefined : context.join('\n'), messages }),
  };
}

function textOf(content: Json | undefined, place: number): string {
  if (typeof content === 'string') return content;
  const parts = asObjects(content);
  if (parts.every(({ type }) => type === 'text')) return parts.map(({ text }) => asString(text) ?? '').join('');
  throw new GatewayError('translation_unsupported', 'This provider takes texts alone.', {
    param: `messages[${place}].content`,
  });
}

/** A text body as `generateText` takes it. */
export function textPrompt(body: JsonObject): JsonObject {
  const { prompt, stop } = body;
  const [only, ...others] = Array.isArray(prompt) ? asArray(prompt) : [prompt ?? ''];
  if (typeof only !== 'string' || others.length > 0)
    throw new GatewayError('translation_unsupported', 'This provider takes one text at a time.', { param: 'prompt' });
  return compact({
    ...omit(body, new Set(['model', 'prompt', 'stop'])),
    prompt: { text: only },
    stopSequences: typeof stop === 'string' ? [stop] : (stop ?? undefined),
  });
}

/** An embeddings body as `batchEmbedText` takes it. */
export function textsToEmbed(body: JsonObject): JsonObject {
  const texts = Array.isArray(body.input) ? asArray(body.input) : [body.input ?? ''];
  if (texts.every((text) => typeof text === 'string')) return { ...omit(body, new Set(['model', 'input'])), texts };
  throw new GatewayError('translation_unsupported', 'This provider takes texts, not tokens.', { param: 'input' });
}

/** Without candidates, the prompt or all of them were filtered. */
const answers = (json: JsonObject, field: string): readonly (string | undefined)[] => {
  const found = asObjects(json.candidates).map((candidate) => asString(candidate[field]) ?? '');
  return found.length === 0 ? [undefined] : found;
};

const isAnswer = (json: JsonObject) => json.error === undefined;

/** A reply of `generateMessage` as a chat completion. Tokens are not told. */
export function spoken(json: JsonObject, { facts, nowSeconds, newId }: ReplyFacts): JsonObject {
  if (!isAnswer(json)) return wordAsCode(json);
  const choices = answers(json, 'content').map((content, index) => ({
    index,
    message: { role: 'assistant', content: content ?? null },
    finish_reason: content === undefined ? 'content_filter' : 'stop',
  }));
  return { id: newId('chatcmpl-'), object: 'chat.completion', created: nowSeconds(), model: facts.model, choices };
}

/** A reply of `generateText` as a text completion. */
export function completed(json: JsonObject, { facts, nowSeconds, newId }: ReplyFacts): JsonObject {
  if (!isAnswer(json)) return wordAsCode(json);
  const choices = answers(json, 'output').map((text, index) => ({
    index,
    text: text ?? '',
    logprobs: null,
    finish_reason: text === undefined ? 'content_filter' : 'stop',
  }));
  return { id: newId('cmpl-'), object: 'text_completion', created: nowSeconds(), model: facts.model, choices };
}

/** A reply of `batchEmbedText` in OpenAI's form. */
export function embedded(json: JsonObject, { facts, asked, nowSeconds, newId }: ReplyFacts): JsonObject {
  if (!isAnswer(json)) return wordAsCode(json);
  const vectors = asObjects(json.embeddings).map(({ value }) =>
    asArray(value).filter((number) => typeof number === 'number'),
  );
  const context = { strict: false, dropped: () => {}, request: asked, nowSeconds, newId };
  return dialects.embeddings.encodeReply({ model: facts.model, vectors }, context);
}
