import { asObjects, type Flow, type JsonObject, listAfter, type Settings } from 'portcullis/sdk';
import { control } from './places.ts';

/** One kind of job of the platform's control host. */
export interface JobKind {
  /** Path of the list. */
  readonly list: string;
  /** The member of a list that holds its jobs. */
  readonly summaries: string;
  readonly url: (settings: Settings, id: string) => string;
  /** A job, or its summary, in the client's form. */
  readonly read: (json: JsonObject) => JsonObject;
}

/** Lists, shows and stops jobs of a kind. */
export function jobFlows({
  list,
  summaries,
  url,
  read,
}: JobKind): Readonly<Record<'list' | 'retrieve' | 'cancel', Flow>> {
  return {
    list: async ({ facts: { settings, query } }, tools) => {
      const json = await listAfter(query, async (token) => {
        const asked = new URLSearchParams({ maxResults: '100', ...(token === undefined ? {} : { nextToken: token }) });
        const { json } = await tools.send({ method: 'GET', url: control(settings, `${list}?${asked}`) });
        return { data: asObjects(json[summaries]).map(read), next: json.nextToken };
      });
      return { status: 200, json };
    },
    retrieve: async ({ facts: { settings, params } }, tools) => {
      const { json } = await tools.send({ method: 'GET', url: url(settings, params.id ?? '') });
      return { status: 200, json: read(json) };
    },
    cancel: async ({ facts: { settings, params } }, tools) => {
      const stopped = url(settings, params.id ?? '');
      await tools.send({ method: 'POST', url: `${stopped}/stop` });
      const { json } = await tools.send({ method: 'GET', url: stopped });
      return { status: 200, json: read(json) };
    },
  };
}
