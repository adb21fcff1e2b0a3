import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type EndpointSpec,
  type Json,
  type JsonObject,
  type ReplyFacts,
} from 'portcullis/sdk';

/** Source: https://docs.cohere.com/reference/rerank. Documents are texts there, and replies do not repeat them. */
export const rerank: EndpointSpec = {
  path: '/v2/rerank',
  dialect: 'rerank',
  request: asked,
  repair: answered,
};

function asked(body: JsonObject): JsonObject {
  const { rank_fields: fields, return_documents: _, ...rest } = body;
  const names = asArray(fields).filter((name) => typeof name === 'string');
  return { ...rest, documents: asArray(body.documents).map((document) => textOf(document, names)) };
}

/** The text of a document; of one with several fields, or of those that are to be ranked by, a line for each. */
function textOf(document: Json, fields: readonly string[]): string {
  const object = asObject(document);
  if (object === undefined) return asString(document) ?? JSON.stringify(document);
  const text = asString(object.text);
  if (fields.length === 0 && text !== undefined) return text;
  const names = fields.length === 0 ? Object.keys(object) : fields.filter((name) => object[name] !== undefined);
  const plain = (value: Json | undefined) => (typeof value === 'string' ? value : JSON.stringify(value));
  const [only] = names;
  return names.length === 1 && only === 'text' && text !== undefined
    ? text
    : names.map((name) => `${name}: ${plain(object[name])}`).join('\n');
}

function answered(json: JsonObject, { facts, asked: request, newId }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.results)) return json;
  const documents = asArray(request.documents);
  const units = asNumber(asObject(asObject(json.meta)?.billed_units)?.search_units);
  return {
    id: asString(json.id) ?? newId('rerank-'),
    object: 'list',
    results: asObjects(json.results).map((result) =>
      compact({
        ...result,
        document: request.return_documents === true ? shown(documents[asNumber(result.index) ?? -1]) : undefined,
      }),
    ),
    model: facts.model,
    ...(units === undefined ? {} : { usage: { search_units: units } }),
  };
}

function shown(document: Json | undefined): JsonObject | undefined {
  return typeof document === 'string' ? { text: document } : asObject(document);
}
