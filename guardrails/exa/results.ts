import { asObjects, asString, GatewayError, type JsonObject } from 'portcullis/sdk';

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly publishedDate: string | undefined;
  readonly text: string;
}

/** @throws GatewayError `check_failed` where there is no list of results */
export function resultsOf({ results }: JsonObject): readonly SearchResult[] {
  if (!Array.isArray(results)) throw new GatewayError('check_failed', 'Exa answered without results.');
  return asObjects(results).map(({ title, url, publishedDate, text }) => ({
    title: (asString(title) ?? '').slice(0, 300),
    url: (asString(url) ?? '').slice(0, 1000),
    publishedDate: asString(publishedDate)?.slice(0, 40),
    text: asString(text) ?? '',
  }));
}
