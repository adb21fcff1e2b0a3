import { lookup } from '../../dialects/lookup.ts';
import { asString, type Json } from '../../json.ts';

/** Words of jobs, without the prefix `JOB_STATE_` or `BATCH_STATE_`. */
const batchWords: Readonly<Record<string, string>> = {
  CANCELLING: 'cancelling',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
  FAILED: 'failed',
  SUCCEEDED: 'completed',
  PARTIALLY_SUCCEEDED: 'completed',
  RUNNING: 'in_progress',
  UPDATING: 'in_progress',
};
const tuningWords: Readonly<Record<string, string>> = {
  CANCELLING: 'cancelled',
  CANCELLED: 'cancelled',
  EXPIRED: 'cancelled',
  FAILED: 'failed',
  SUCCEEDED: 'succeeded',
  PARTIALLY_SUCCEEDED: 'succeeded',
  RUNNING: 'running',
  UPDATING: 'running',
};

const wordOf = (state: Json | undefined) => (asString(state) ?? '').replace(/^(JOB|BATCH)_STATE_/, '');

/** The status of a batch that a job's state stands for; what waits, and what is not known, is `validating`. */
export const batchStatus = (state: Json | undefined): string => lookup(batchWords, wordOf(state)) ?? 'validating';

/** The status of a fine-tuning job; what waits, and what is not known, is `queued`. */
export const tuningStatus = (state: Json | undefined): string => lookup(tuningWords, wordOf(state)) ?? 'queued';

/** Labels as the platform takes them: strings, lower case, at most 64 characters in keys and values. */
export function labelsOf(labels: Json | undefined): Json | undefined {
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) return labels;
  const short = (text: string) => [...text.toLowerCase()].slice(0, 64).join('');
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [
      short(key),
      typeof value === 'object' ? value : short(String(value)),
    ]),
  );
}
