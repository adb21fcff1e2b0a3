import { asObject, asString, compact, type JsonObject } from '../../json.ts';

/** A citation of a web page as every format knows it, any other one as it came. */
export function decodeCitation(citation: JsonObject): JsonObject {
  const url = asString(asObject(asObject(citation.location)?.web)?.url);
  if (url === undefined) return citation;
  return compact({ type: 'url_citation', url, title: asString(citation.title) });
}

/** The citation in this format; undefined for one that has neither its form nor a URL. */
export function encodeCitation(citation: JsonObject): JsonObject | undefined {
  if (asObject(citation.location) !== undefined) return citation;
  const page = asObject(citation.url_citation) ?? citation;
  const url = asString(page.url);
  if (url === undefined) return undefined;
  return compact({ title: asString(page.title), location: { web: { url } } });
}
