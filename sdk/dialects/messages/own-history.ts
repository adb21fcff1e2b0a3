import { asObjects, asString, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { replayableCitations } from './citation.ts';
import { isOwnSignature } from './encode-blocks.ts';
import { withBlocks, withCallId } from './history-blocks.ts';

/**
 * A request without what its client holds of other formats' providers and those of this one refuse: thinking that another
 * maker signed, signatures in the ids of calls, and citations that the provider did not make.
 */
export function ownHistory(body: JsonObject, context: CodecContext): JsonObject {
  return withBlocks(body, (block) => {
    switch (block.type) {
      case 'thinking':
      case 'redacted_thinking': {
        const own = isOwnSignature(asString(block.type === 'thinking' ? block.signature : block.data) ?? '');
        if (!own) context.dropped('thinking');
        return own ? [block] : [];
      }
      case 'tool_use':
      case 'tool_result':
        return [withCallId(block, (id) => unpackToolCallId(id).id)];
      case 'text':
        return [withOwnCitations(block, context)];
      default:
        return [block];
    }
  });
}

const citations: ReadonlySet<string> = new Set(['citations']);

function withOwnCitations(block: JsonObject, context: CodecContext): JsonObject {
  const given = asObjects(block.citations);
  if (!given.some(({ encrypted_index }) => encrypted_index === '')) return block;
  const own = replayableCitations(given, context);
  return own.length === 0 ? omit(block, citations) : { ...block, citations: own };
}
