import {
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type EndpointSpec,
  type Flow,
  type FormFile,
  GatewayError,
  type JsonObject,
  omit,
} from 'portcullis/sdk';

const ofDocuments: ReadonlySet<string> = new Set(['document']);

/** Documents go as files, so that only those inside the request, as data URLs, can be read. */
const read: Flow = async ({ body }, tools) => {
  const file = fileOf(body);
  const parses = asString(body.model)?.includes('parse') === true;
  const fields = { ...(parses ? { output_formats: '["markdown"]' } : {}), ...omit(body, ofDocuments) };
  const form = { fields, files: [file] };
  const { status, json } = await tools.send({ method: 'POST', url: '/document-digitization', form });
  return { status, json: pagesOf(json, body) };
};

/** https://console.upstage.ai/api/document-digitization: models for reading and for parsing share an address. */
export const ocr: EndpointSpec = { path: '/document-digitization', dialect: 'ocr', flow: read };

function fileOf(body: JsonObject): FormFile {
  const document = asObject(body.document);
  const given = document?.document_url ?? document?.image_url;
  const url = asString(given) ?? asString(asObject(given)?.url) ?? '';
  const [, contentType, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url) ?? [];
  if (contentType === undefined || data === undefined)
    throw new GatewayError('bad_request', 'document must hold a data URL in base64 for this provider.', {
      param: 'document',
    });
  const bytes = Buffer.from(data, 'base64');
  const open = async function* () {
    yield bytes;
  };
  return { field: 'document', filename: 'document', contentType, size: bytes.length, open };
}

function pagesOf(json: JsonObject, { model }: JsonObject): JsonObject {
  const pages = asObjects(json.pages).map(({ text, width, height }, index) => ({
    index,
    markdown: asString(text) ?? '',
    images: [],
    dimensions: width === undefined ? null : compact({ width, height }),
  }));
  const content = asObject(json.content);
  const whole = asString(content?.markdown) || asString(content?.text) || asString(content?.html);
  const read = pages.length > 0 ? pages : [{ index: 0, markdown: whole ?? '', images: [], dimensions: null }];
  const billed = asNumber(json.numBilledPages) ?? asNumber(asObject(json.usage)?.pages) ?? read.length;
  return compact({
    model: asString(json.model) ?? asString(json.modelVersion) ?? model,
    pages: read,
    usage_info: { pages_processed: billed, doc_size_bytes: null },
  });
}
