import type { Usage } from 'portcullis/sdk';
import type { TokenKind } from './kinds.ts';

/**
 * The tokens of a usage that are paid for, each counted under one kind alone: together they are its input and its output, or what
 * the provider bills in the place of these. What is cached is not
 * fresh input, and what is spoken, drawn or thought is not plain output. Where the counts of a provider overlap without saying
 * so (audio out of the cache), there is never more than there was.
 */
export function tokenCounts(usage: Usage): Readonly<Record<TokenKind, number>> {
  const { cacheRead, cacheWrite, cacheWrite1h, billed } = usage;
  const { input, output } = billed ?? usage;
  // What was cached is a part of what was counted, and of that alone.
  const read = billed === undefined ? count(cacheRead) : 0;
  const write1h = count(cacheWrite1h);
  const write = Math.max(count(cacheWrite), write1h);
  const readAudio = Math.min(count(usage.cacheReadAudio), read);
  const readImage = Math.min(count(usage.cacheReadImage), read - readAudio);
  let fresh = Math.max(0, count(input) - read - write);
  const take = (part: number) => {
    const taken = Math.min(Math.max(0, part), fresh);
    fresh -= taken;
    return taken;
  };
  const audio = take(count(usage.audioInput) - readAudio);
  const image = take(count(usage.imageInput) - readImage);
  const text = fresh;
  fresh = count(output);
  const spoken = take(count(usage.audioOutput));
  const drawn = take(count(usage.imageOutput));
  const thought = take(count(usage.reasoning));
  const accepted = take(count(usage.acceptedPrediction));
  const rejected = take(count(usage.rejectedPrediction));
  return {
    request_token: text,
    request_audio_token: audio,
    request_image_token: image,
    cache_read_input_token: read - readAudio - readImage,
    cache_read_audio_input_token: readAudio,
    cache_read_image_input_token: readImage,
    cache_write_input_token: write - write1h,
    cache_write_1h_input_token: write1h,
    response_token: fresh,
    response_audio_token: spoken,
    response_image_token: drawn,
    reasoning_token: thought,
    prediction_accepted_token: accepted,
    prediction_rejected_token: rejected,
  };
}

/** A whole number from 0, whatever a provider says. */
export function count(value: number | undefined): number {
  return value !== undefined && value > 0 && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : 0;
}
