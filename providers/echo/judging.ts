import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  GatewayError,
  type Json,
  type JsonObject,
} from 'portcullis/sdk';
import { decoded } from './body.ts';
import { idsOf, newSeed } from './generation.ts';

/** Scores by how many of the query's words a document holds. */
export function rerank(body: JsonObject): JsonObject {
  const query = asString(body.query);
  if (query === undefined || !Array.isArray(body.documents))
    throw new GatewayError('bad_request', 'query and documents are required.', { param: 'query' });
  const words = distinctWords(query);
  const documents = body.documents.map((document) => asString(document) ?? asString(asObject(document)?.text) ?? '');
  const results = documents
    .map((text, index) => ({
      index,
      relevance_score: shareOf(words, distinctWords(text)),
      ...(body.return_documents === true ? { document: { text } } : {}),
    }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
    .slice(0, asNumber(body.top_n) ?? documents.length);
  return {
    id: idsOf(newSeed()).newId('rerank-'),
    object: 'list',
    results,
    model: body.model ?? 'echo',
    usage: { search_units: 1 },
  };
}

function distinctWords(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function shareOf(words: ReadonlySet<string>, found: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : [...words].filter((word) => found.has(word)).length / words.size;
}

const categories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const;

/** Flags a category whose name stands in the text. */
export function moderate(body: JsonObject): JsonObject {
  const ids = idsOf(newSeed());
  return { id: ids.newId('modr-'), model: body.model ?? 'echo', results: textsOf(body.input).map(judged) };
}

/** One text for each string, and one for all parts together. */
function textsOf(input: Json | undefined): readonly string[] {
  if (typeof input === 'string') return [input];
  const strings = asArray(input).filter((item) => typeof item === 'string');
  if (strings.length > 0) return strings;
  const parts = asObjects(input).map(({ text }) => asString(text) ?? '');
  if (parts.length > 0) return [parts.join('\n')];
  throw new GatewayError('bad_request', 'input is required: a text, or a list.', { param: 'input' });
}

function judged(text: string): JsonObject {
  const lower = text.toLowerCase();
  const found = (name: string) => lower.includes(name);
  return {
    flagged: categories.some(found),
    categories: Object.fromEntries(categories.map((name) => [name, found(name)])),
    category_scores: Object.fromEntries(categories.map((name) => [name, found(name) ? 0.99 : 0.01])),
    category_applied_input_types: Object.fromEntries(categories.map((name) => [name, ['text']])),
  };
}

/** Reads one page: the text of a data URL, or the URL itself. */
export function readPages(body: JsonObject): JsonObject {
  const document = asObject(body.document);
  const image = document?.image_url;
  const url = asString(document?.document_url) ?? asString(image) ?? asString(asObject(image)?.url);
  if (url === undefined)
    throw new GatewayError('bad_request', 'document must hold a document_url or an image_url.', { param: 'document' });
  return {
    pages: [{ index: 0, markdown: textAt(url), images: [], dimensions: { dpi: 72, height: 842, width: 595 } }],
    model: body.model ?? 'echo',
    document_annotation: null,
    usage_info: { pages_processed: 1, doc_size_bytes: url.startsWith('data:') ? textAt(url).length : null },
  };
}

function textAt(url: string): string {
  const [, base64, held = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  if (!url.startsWith('data:')) return url;
  if (base64 !== undefined) return Buffer.from(held, 'base64').toString('utf8');
  return decoded(held);
}
