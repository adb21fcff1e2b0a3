import { withBlocks, withCallId } from '../dialects/messages/history-blocks.ts';
import { toolId } from '../dialects/messages/tool-input.ts';
import { asString, type JsonObject } from '../json.ts';

/**
 * A messages request for the makers of Claude, who verify its history: without the thinking that nobody signed, and with the
 * ids of calls in the characters that they take. Clients may hold both from models of other makers. For `request`.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function verifiedHistory(body: JsonObject): JsonObject {
  return withBlocks(body, (block) => {
    switch (block.type) {
      case 'thinking':
        return asString(block.signature) ? [block] : [];
      case 'tool_use':
      case 'tool_result':
        return [withCallId(block, toolId)];
      default:
        return [block];
    }
  });
}
