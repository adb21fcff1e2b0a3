import { GatewayError, type PieceBounds, placedPiecesOf, type ScannedText } from 'portcullis/sdk';

/** A text, or a piece of one, as it is sent, and where in the text it begins. */
export interface Part extends ScannedText {
  readonly start: number;
}

/**
 * What each account may send at once: 25 text units of 1,000 characters. Regions and accounts differ, up to 1,000 units:
 * https://docs.aws.amazon.com/general/latest/gr/bedrock.html#limits_bedrock
 */
const unitsAtOnce = 25;
const unitLength = 1000;
/** The overlap is longer than what a word policy or a pattern looks for. */
const bounds: PieceBounds = { longest: unitsAtOnce * unitLength, overlap: 500, most: 32 };

/**
 * The texts, cut where they have to be, in calls that every account may send; the order stays.
 * @throws GatewayError `check_failed` for more calls than a check makes
 */
export function batchesOf(texts: readonly ScannedText[]): readonly (readonly Part[])[] {
  const batches: Part[][] = [];
  let left = 0;
  for (const text of texts) {
    for (const piece of placedPiecesOf(text.text, bounds)) {
      const units = Math.ceil(piece.text.length / unitLength);
      if (units > left || batches.length === 0) {
        batches.push([]);
        left = unitsAtOnce;
      }
      batches.at(-1)?.push({ ...text, ...piece });
      left -= units;
    }
  }
  if (batches.length <= bounds.most) return batches;
  throw new GatewayError('check_failed', `The check makes ${bounds.most} calls at most; here are ${batches.length}.`);
}
