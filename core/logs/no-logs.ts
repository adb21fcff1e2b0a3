import { GatewayError, type LogSinks, type LogStore } from 'portcullis/sdk';

/** Where no database of logs is set: nothing is kept. */
export const noLogs: LogSinks = Object.freeze({ write: () => {}, feedback: () => {}, caughtUp: async () => {} });

const refuse = (): never => {
  throw new GatewayError('not_available', 'This gateway keeps no logs: no database is set for them.');
};

/** Where no database of logs is set: asking is refused, and there is nothing to delete. */
export const noLogStore: LogStore = Object.freeze({
  find: refuse,
  list: refuse,
  aggregate: refuse,
  feedbackBy: refuse,
  updateFeedback: refuse,
  prune: async () => 0,
  retention: { logDays: 0, metricDays: 0 },
});
