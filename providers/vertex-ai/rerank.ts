import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type EndpointSpec,
  type Flow,
  type Json,
  type JsonObject,
  omit,
} from 'portcullis/sdk';
import { projectOf } from './places.ts';

const own: ReadonlySet<string> = new Set(['model', 'query', 'documents', 'top_n', 'return_documents', 'labels']);

const contentOf = (document: Json) =>
  typeof document === 'string'
    ? { content: document }
    : compact({ title: asObject(document)?.title, content: asObject(document)?.text });

/** Scores of the ranking API; it bills 100 records as one query. */
const rank: Flow = async ({ facts, body }, tools) => {
  const documents = asArray(body.documents);
  const model = asString(body.model) ?? '';
  const { json } = await tools.send({
    method: 'POST',
    url: `https://discoveryengine.googleapis.com${pathOf(facts)}`,
    body: compact({
      ...omit(body, own),
      model: facts.model.replace(/^google[./]/, ''),
      query: body.query,
      records: documents.map((document, index) => ({ id: String(index), ...contentOf(document) })),
      topN: body.top_n,
      ignoreRecordDetailsInResponse: true,
      userLabels: body.labels,
    }),
  });
  const results = asObjects(json.records).map(({ id, score }): JsonObject => {
    const index = Number(id);
    const document = body.return_documents === true ? documentOf(documents[index]) : undefined;
    return compact({ index, relevance_score: asNumber(score) ?? 0, document });
  });
  const usage = { search_units: Math.ceil(documents.length / 100) };
  return { status: 200, json: { id: tools.newId('rerank-'), object: 'list', results, model, usage } };
};

const documentOf = (document: Json | undefined) => (typeof document === 'string' ? { text: document } : document);

const pathOf = ({ settings }: Parameters<typeof rank>[0]['facts']) =>
  `/v1/projects/${projectOf(settings)}/locations/global/rankingConfigs/default_ranking_config:rank`;

/** Source: https://cloud.google.com/generative-ai-app-builder/docs/ranking */
export const rerank: EndpointSpec = { path: pathOf, dialect: 'rerank', flow: rank };
