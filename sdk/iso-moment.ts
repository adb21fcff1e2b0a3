const form = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const zone = /(Z|[+-]\d{2}:?\d{2})$/;

/**
 * Epoch milliseconds of a day or a time in ISO 8601; without a zone it is UTC, because what it means must not depend on
 * where the gateway runs. Undefined for all other text, and for days that no calendar has, such as the 31st of February.
 */
export function isoMoment(text: string): number | undefined {
  if (!form.test(text) || !isDay(text.slice(0, 10))) return undefined;
  const full = text.replace(' ', 'T');
  const at = Date.parse(full.includes('T') && !zone.test(full) ? `${full}Z` : full);
  return Number.isNaN(at) ? undefined : at;
}

/** The parser of the language counts days beyond the end of a month into the next one. */
function isDay(date: string): boolean {
  const at = Date.parse(date);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}
