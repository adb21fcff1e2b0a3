import { GatewayError } from '../../errors.ts';
import { compact, type JsonObject } from '../../json.ts';
import type { ModelForm } from './form.ts';
import { displayNameOf, type ReadModel } from './index.ts';

const collections = /^(models|tunedModels)\//;
const [standardSize, largestSize] = [50, 1000];

/** `GET /v1beta/models`: https://ai.google.dev/api/models. A page token counts the models before the page. */
export const geminiModels: ModelForm = {
  one({ entry, came }) {
    if (typeof came?.name === 'string' && collections.test(came.name)) return came;
    const name = collections.test(entry.id) ? entry.id : `models/${entry.id}`;
    return { name, displayName: displayNameOf({ entry, came }) };
  },
  list(models, query) {
    // A larger page than the largest is none to refuse, as the format has it; 0 is the standard.
    const size = Math.min(count(query, 'pageSize') || standardSize, largestSize);
    const from = count(query, 'pageToken');
    const page = models.slice(from, from + size).map((model: ReadModel): JsonObject => this.one(model));
    const end = from + page.length;
    return compact({ models: page, nextPageToken: end < models.length ? String(end) : undefined });
  },
};

const accepted = {
  pageSize: 'pageSize must be a whole number of at least 0; pages hold 1000 models at most.',
  pageToken: 'pageToken must be the nextPageToken of the page before.',
};

function count(query: Readonly<Record<string, string>>, name: keyof typeof accepted): number {
  const text = query[name] ?? '';
  if (/^\d{0,15}$/.test(text)) return Number(text);
  throw new GatewayError('bad_request', accepted[name], { param: name });
}
