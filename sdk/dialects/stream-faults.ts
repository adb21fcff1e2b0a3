import type { ProviderFault } from './neutral.ts';

/** The upstream closed before the format's end of a stream. */
export const brokenOff: ProviderFault = {
  status: 502,
  message: 'The provider closed the stream before it was complete.',
};

/** An event of a stream is no JSON object. */
export const unreadable: ProviderFault = {
  status: 502,
  message: 'The provider sent an event that is not in the format of its stream.',
};
