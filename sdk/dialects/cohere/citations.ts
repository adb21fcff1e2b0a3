import { asNumber, asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';

/**
 * A citation in neutral form: as the provider words it, and one for each source that is a page of the web, so that formats
 * that know nothing but links can show it.
 */
export function decodeCitation(citation: JsonObject): readonly JsonObject[] {
  const linked = asObjects(citation.sources).flatMap((source) => {
    const content = asObject(source.document) ?? asObject(source.tool_output);
    const url = asString(content?.url);
    if (url === undefined) return [];
    return [
      compact({
        ...citation,
        sources: [source],
        url,
        title: asString(content?.title),
        start_index: asNumber(citation.start),
        end_index: asNumber(citation.end),
      }),
    ];
  });
  return linked.length === 0 ? [citation] : linked;
}

/** The citation as this format words it; undefined for one of another format. */
export function encodeCitation(citation: JsonObject): JsonObject | undefined {
  if (!Array.isArray(citation.sources)) return undefined;
  const { url: _url, title: _title, start_index: _start, end_index: _end, ...own } = citation;
  return own;
}
