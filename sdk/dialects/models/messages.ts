import { GatewayError } from '../../errors.ts';
import type { ModelForm } from './form.ts';
import { displayNameOf, type ReadModel } from './index.ts';

const [standardLimit, largestLimit] = [20, 1000];

type Query = Readonly<Record<string, string>>;

/** `GET /v1/models` of the messages format: https://platform.claude.com/docs/en/api/models-list */
export const messagesModels: ModelForm = {
  one({ entry, came }) {
    if (came?.type === 'model' && typeof came.display_name === 'string') return came;
    return {
      type: 'model',
      id: entry.id,
      display_name: displayNameOf({ entry, came }),
      created_at: moment(entry.created),
    };
  },
  list(models, query) {
    const limit = limitOf(query);
    const before = cursorOf(models, query, 'before_id');
    const after = cursorOf(models, query, 'after_id');
    // The page ends at the model that it stands before, and else begins behind the one that it stands after.
    const from = before === undefined ? (after ?? -1) + 1 : Math.max(before - limit, 0);
    const end = before ?? Math.min(from + limit, models.length);
    const page = models.slice(from, end);
    return {
      data: page.map((model) => this.one(model)),
      has_more: before === undefined ? end < models.length : from > 0,
      first_id: page[0]?.entry.id ?? null,
      last_id: page.at(-1)?.entry.id ?? null,
    };
  },
};

/** The epoch stands for a date that nobody knows. */
function moment(seconds = 0): string {
  const date = new Date(seconds * 1000);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}

function limitOf({ limit }: Query): number {
  if (limit === undefined) return standardLimit;
  const value = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (value >= 1 && value <= largestLimit) return value;
  const text = `limit must be a whole number from 1 to ${largestLimit}.`;
  throw new GatewayError('bad_request', text, { param: 'limit' });
}

function cursorOf(models: readonly ReadModel[], query: Query, name: 'after_id' | 'before_id'): number | undefined {
  const id = query[name];
  if (id === undefined) return undefined;
  const index = models.findIndex(({ entry }) => entry.id === id);
  if (index !== -1) return index;
  throw new GatewayError('bad_request', `${name} must be the id of a model of the list.`, { param: name });
}
