import type { Row } from './row.ts';

/** Nothing between client and upstream: what latency would be without a proxy. */
export const direct: Row = {
  name: 'direct',
  about: 'no proxy: the fake upstream itself',
  start: async (upstream) => ({ origin: upstream, headers: {}, pid: undefined, stop: async () => {} }),
};
