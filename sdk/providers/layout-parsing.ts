import type { EndpointSpec } from '../contracts/provider.ts';
import { asArray, asNumber, asObject, asObjects, asString, compact, type JsonObject, omit } from '../json.ts';

/**
 * Reading of documents by `POST /layout_parsing`: `{ model, file }`, the file by its URL or as base64, answered with
 * `md_results` and, for each page, `layout_details`. https://docs.z.ai/api-reference/tools/layout-parsing
 */
export const layoutParsing: EndpointSpec = {
  path: '/layout_parsing',
  dialect: 'ocr',
  request: fileAsked,
  repair: pagesOf,
};

const ofDocuments: ReadonlySet<string> = new Set(['document', 'pages']);

/** Pages are counted from 1 there, and from 0 here. */
function fileAsked(body: JsonObject): JsonObject {
  const document = asObject(body.document);
  const picture = asObject(document?.image_url);
  const file = asString(document?.document_url) ?? asString(picture?.url) ?? asString(document?.image_url);
  if (file === undefined) return body;
  const pages = asArray(body.pages).flatMap((page) => asNumber(page) ?? []);
  const bounds =
    pages.length === 0 ? {} : { start_page_id: Math.min(...pages) + 1, end_page_id: Math.max(...pages) + 1 };
  return { file, ...bounds, ...omit(body, ofDocuments) };
}

const ofLayouts: ReadonlySet<string> = new Set(['md_results', 'layout_details', 'data_info', 'usage']);

/** Each page has a list of what stands on it; without those lists all of the text is one page. */
function pagesOf(json: JsonObject): JsonObject {
  const whole = asString(json.md_results);
  if (whole === undefined) return json;
  const info = asObject(json.data_info);
  const sizes = asObjects(info?.pages);
  const layouts = asArray(json.layout_details).map(asObjects);
  const texts = layouts.length > 1 ? layouts.map(textOf) : [whole];
  const pages = texts.map((markdown, index) =>
    compact({
      index,
      markdown,
      images: [],
      dimensions: sizes[index] ?? null,
    }),
  );
  const pages_processed = asNumber(info?.num_pages) ?? pages.length;
  return compact({
    ...omit(json, ofLayouts),
    pages,
    usage_info: { pages_processed, doc_size_bytes: null },
    usage: json.usage,
  });
}

function textOf(blocks: readonly JsonObject[]): string {
  return blocks.flatMap(({ content }) => asString(content) ?? []).join('\n\n');
}
