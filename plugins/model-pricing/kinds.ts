/** A kind of token that may have a rate of its own. */
interface Kind {
  /** The kind that it is charged as where a price has no rate for it. */
  readonly else?: TokenKind;
  /** The part of a cost that it belongs to. */
  readonly part: Part;
  /** The group of multipliers that holds for it when it is not named itself. */
  readonly group: 'request' | 'response' | 'cached' | 'audio' | 'reasoning';
  /** The name of its multiplier, where that differs. */
  readonly multiplier?: string;
}

/** What a cost is made of, in the order in which it is added up. */
export const parts = [
  'input',
  'cacheRead',
  'cacheWrite',
  'output',
  'reasoning',
  'audio',
  'image',
  'tools',
  'request',
] as const;
export type Part = (typeof parts)[number];

export const tokenKinds = [
  'request_token',
  'response_token',
  'cache_write_input_token',
  'cache_write_1h_input_token',
  'cache_read_input_token',
  'request_audio_token',
  'response_audio_token',
  'cache_read_audio_input_token',
  'request_image_token',
  'response_image_token',
  'cache_read_image_input_token',
  'reasoning_token',
  'prediction_accepted_token',
  'prediction_rejected_token',
] as const;
export type TokenKind = (typeof tokenKinds)[number];

export const kinds: Readonly<Record<TokenKind, Kind>> = {
  request_token: { part: 'input', group: 'request' },
  response_token: { part: 'output', group: 'response' },
  cache_write_input_token: { part: 'cacheWrite', group: 'cached', else: 'request_token' },
  cache_write_1h_input_token: {
    part: 'cacheWrite',
    group: 'cached',
    else: 'cache_write_input_token',
    multiplier: 'cache_write_input_token',
  },
  cache_read_input_token: { part: 'cacheRead', group: 'cached', else: 'request_token' },
  request_audio_token: { part: 'audio', group: 'audio', else: 'request_token' },
  response_audio_token: { part: 'audio', group: 'audio', else: 'response_token' },
  cache_read_audio_input_token: { part: 'cacheRead', group: 'cached', else: 'cache_read_input_token' },
  request_image_token: { part: 'image', group: 'request', else: 'request_token' },
  response_image_token: { part: 'image', group: 'response', else: 'response_token' },
  cache_read_image_input_token: { part: 'cacheRead', group: 'cached', else: 'cache_read_input_token' },
  reasoning_token: { part: 'reasoning', group: 'reasoning', else: 'response_token' },
  prediction_accepted_token: { part: 'output', group: 'response', else: 'response_token' },
  prediction_rejected_token: { part: 'output', group: 'response', else: 'response_token' },
};
