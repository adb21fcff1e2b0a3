import { asArray, asObject, asObjects, asString, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';

export interface Image {
  readonly url: string;
  readonly description: string | undefined;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly text: string;
  readonly favicon: string | undefined;
  readonly images: readonly Image[];
}

export interface Findings {
  readonly answer: string | undefined;
  readonly images: readonly Image[];
  readonly results: readonly SearchResult[];
}

/** @throws GatewayError `check_failed` where there is no list of results */
export function findingsOf({ answer, images, results }: JsonObject): Findings {
  if (!Array.isArray(results)) throw new GatewayError('check_failed', 'Tavily answered without results.');
  return { answer: asString(answer), images: imagesOf(images), results: asObjects(results).map(resultOf) };
}

/** The page itself comes only where it was asked for. */
function resultOf({ title, url, content, raw_content: raw, favicon, images }: JsonObject): SearchResult {
  return {
    title: (asString(title) ?? '').slice(0, 300),
    url: (asString(url) ?? '').slice(0, 1000),
    text: asString(raw) || (asString(content) ?? ''),
    favicon: asString(favicon)?.slice(0, 300),
    images: imagesOf(images),
  };
}

/** Addresses, or objects where descriptions were asked for; five are enough for a prompt. */
function imagesOf(images: Json | undefined): readonly Image[] {
  return asArray(images)
    .map((image) => ({
      url: (asString(image) ?? asString(asObject(image)?.url) ?? '').slice(0, 2000),
      description: asString(asObject(image)?.description)?.slice(0, 1000),
    }))
    .filter(({ url }) => url !== '')
    .slice(0, 5);
}
