import {
  asNumber,
  asObjects,
  asString,
  type Edit,
  GatewayError,
  type JsonObject,
  type ScannedText,
} from 'portcullis/sdk';

const personal = /^pii(\/|$)/;

/**
 * Masks for the personal data that Lakera has found; none where it flags anything else, or names no place for something
 * that it has found: then the text cannot be made clean.
 * @throws GatewayError `check_failed` for a place that is not in the texts
 */
export function masksOf(
  { payload }: JsonObject,
  detectors: readonly string[],
  texts: readonly ScannedText[],
  endInclusive: boolean,
): readonly Edit[] {
  const found = asObjects(payload).filter((item) => personal.test(asString(item.detector_type) ?? ''));
  const placed = new Set(found.map((item) => item.detector_type));
  if (detectors.length === 0 || !detectors.every((type) => personal.test(type) && placed.has(type))) return [];
  return found.map((item) => {
    const text = texts[asNumber(item.message_id) ?? (texts.length === 1 ? 0 : -1)];
    const place = text === undefined ? undefined : placeOf(text.text, item, endInclusive);
    if (text === undefined || place === undefined)
      throw new GatewayError('check_failed', 'Lakera named a place that is not in the text.');
    return { text: text.index, ...place, with: maskOf(asString(item.detector_type) ?? '') };
  });
}

/** `pii/credit_card` -> `[CREDIT_CARD]` */
function maskOf(type: string): string {
  return `[${(type.split('/').at(-1) ?? type).toUpperCase()}]`;
}

/** Lakera counts code points. Where it repeats what it has found, a place that does not hold it is none. */
function placeOf(text: string, { start, end, text: named }: JsonObject, endInclusive: boolean) {
  const from = asNumber(start) ?? -1;
  const to = (asNumber(end) ?? -1) + (endInclusive ? 1 : 0);
  const points = [...text];
  if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || from >= to || to > points.length)
    return undefined;
  const place = { start: points.slice(0, from).join('').length, end: points.slice(0, to).join('').length };
  return typeof named !== 'string' || text.slice(place.start, place.end) === named ? place : undefined;
}
