import { asObject, asString, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';

/** The kinds of citation that this format has. */
const kinds: ReadonlySet<unknown> = new Set([
  'char_location',
  'page_location',
  'content_block_location',
  'web_search_result_location',
  'search_result_location',
]);

/**
 * The citation in this format: its own kinds verbatim, a web page that another format cites (`url`, or nested in
 * `url_citation`) as a web search result without the index that only this format's provider can make.
 */
export function encodeCitation(citation: JsonObject, context: CodecContext): JsonObject | undefined {
  if (kinds.has(citation.type)) return citation;
  const page = asObject(citation.url_citation) ?? citation;
  const url = asString(page.url);
  if (url === undefined) {
    context.dropped('citations');
    return undefined;
  }
  const title = asString(page.title) ?? null;
  return { type: 'web_search_result_location', url, title, cited_text: '', encrypted_index: '' };
}

/** Citations that may be sent back to the provider: its own kinds, with the index that it made itself. */
export function replayableCitations(citations: readonly JsonObject[], context: CodecContext): readonly JsonObject[] {
  const own = citations.filter((citation) => kinds.has(citation.type) && citation.encrypted_index !== '');
  if (own.length < citations.length) context.dropped('citations');
  return own;
}
