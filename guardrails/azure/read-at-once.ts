import { type PieceBounds, piecesOf } from 'portcullis/sdk';

/**
 * What Content Safety reads in one call: https://learn.microsoft.com/azure/ai-services/content-safety/overview#input-requirements.
 * The overlap is longer than any term of a blocklist, and than the 110 characters by which protected material is known.
 */
const bounds: PieceBounds = { longest: 10_000, overlap: 500, most: 32 };

/** @throws GatewayError `check_failed` for a text that takes more calls than a check makes */
export function readAtOnce(text: string): readonly string[] {
  return piecesOf(text, bounds);
}
