import { asNumber, asObject, asString, type JsonObject } from '../../json.ts';

const kinds: ReadonlySet<string> = new Set(['file_citation', 'container_file_citation', 'file_path']);

/**
 * A citation of any format as annotation: this format's own kinds verbatim, a web page (`url`, flat or nested in
 * `url_citation`) as `url_citation`; undefined for anything else. `length` is that of the text cited so far, for citations
 * without indexes.
 */
export function annotationOf(citation: JsonObject, length: number): JsonObject | undefined {
  const type = asString(citation.type);
  if (type !== undefined && kinds.has(type)) return citation;
  const page = asObject(citation.url_citation) ?? citation;
  const url = asString(page.url);
  if (url === undefined) return undefined;
  return {
    type: 'url_citation',
    start_index: asNumber(page.start_index) ?? 0,
    end_index: asNumber(page.end_index) ?? length,
    title: asString(page.title) ?? url,
    url,
  };
}
