import { asObjects, asString, type JsonObject, omit } from '../json.ts';

const blocks: ReadonlySet<string> = new Set(['content_blocks']);

/**
 * A chat request for providers whose history holds thinking in `reasoning_content`. Chat clients may hold it, also that of
 * another provider, in the blocks of this gateway's replies alone. For `request`.
 */
export function replayedThinking(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  if (!messages.some((message) => message.content_blocks !== undefined)) return body;
  return { ...body, messages: messages.map(replayed) };
}

function replayed(message: JsonObject): JsonObject {
  if (message.content_blocks === undefined) return message;
  const thinking = asObjects(message.content_blocks).flatMap((block) => asString(block.thinking) ?? []);
  const reasoning = message.reasoning_content ?? (thinking.length === 0 ? undefined : thinking.join('\n'));
  return { ...omit(message, blocks), ...(reasoning === undefined ? {} : { reasoning_content: reasoning }) };
}
