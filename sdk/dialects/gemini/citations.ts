import { asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';
import type { Part } from '../neutral.ts';

/** The sources that a candidate names: `groundingMetadata` of search and `citationMetadata` of quotations, each URL once. */
export function citationsOf(candidate: JsonObject): readonly JsonObject[] {
  const grounded = asObjects(asObject(candidate.groundingMetadata)?.groundingChunks).map(
    (chunk) => asObject(chunk.web) ?? asObject(chunk.retrievedContext) ?? asObject(chunk.maps),
  );
  const quoted = asObject(candidate.citationMetadata);
  const quotations = asObjects(quoted?.citationSources ?? quoted?.citations);
  const byUrl = new Map<string, JsonObject>();
  for (const source of [...grounded, ...quotations]) {
    const url = asString(source?.uri);
    if (url === undefined || byUrl.has(url)) continue;
    byUrl.set(url, compact({ type: 'url_citation', url, title: asString(source?.title) }));
  }
  return [...byUrl.values()];
}

/** The parts with the citations on the last text; without a text they stay in the raw metadata only. */
export function cite(parts: readonly Part[], citations: readonly JsonObject[]): readonly Part[] {
  const last = parts.findLastIndex((part) => part.type === 'text');
  if (citations.length === 0 || last === -1) return parts;
  return parts.map((part, index) => (index === last && part.type === 'text' ? { ...part, citations } : part));
}

/** `groundingMetadata` of citations that came from another format; undefined when none has a URL. */
export function groundingOf(citations: readonly JsonObject[]): JsonObject | undefined {
  const chunks: JsonObject[] = [];
  for (const citation of citations) {
    const fields = asObject(citation.url_citation) ?? citation;
    const uri = asString(fields.url) ?? asString(fields.uri);
    if (uri !== undefined) chunks.push({ web: compact({ uri, title: asString(fields.title) }) });
  }
  return chunks.length === 0 ? undefined : { groundingChunks: chunks };
}
