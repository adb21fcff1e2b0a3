import { asNumber, asObject, asString, type JsonObject } from '../../json.ts';

/** Where the cited text stands in the whole content of the message, in characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A citation of any format as `url_citation` annotation; undefined when it has no URL. `span` is for those without indexes. */
export function annotationOf(citation: JsonObject, span: Span): JsonObject | undefined {
  const nested = asObject(citation.url_citation);
  if (citation.type === 'url_citation' && nested !== undefined) return citation;
  const url = asString(citation.url);
  if (url === undefined) return undefined;
  return {
    type: 'url_citation',
    url_citation: {
      start_index: asNumber(citation.start_index) ?? span.start,
      end_index: asNumber(citation.end_index) ?? span.end,
      title: asString(citation.title) ?? url,
      url,
    },
  };
}
