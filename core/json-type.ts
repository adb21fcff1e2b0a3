/** Whether a content type, '' for none, announces one JSON text (RFC 6838 §4.2.8); lines of JSON have other types. */
export function isJsonType(type: string): boolean {
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type);
}
