import {
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type Endpoints,
  type FlowCall,
  type FlowResult,
  type FlowTools,
  type JsonObject,
  pathSegment,
  publishedFiles,
  unixSeconds,
} from 'portcullis/sdk';

const files = publishedFiles();

/**
 * Source: the OpenAPI document of https://github.com/OpenRouterTeam/typescript-sdk (`.speakeasy/in.openapi.yaml`). Pictures
 * to begin with are `input_references`; there is no endpoint for edits.
 */
export const documents: Endpoints = {
  rerank: {
    path: '/rerank',
    dialect: 'rerank',
    repair: (json) => (Array.isArray(json.results) ? { object: 'list', ...json } : json),
  },
  imageGenerate: { path: '/images', dialect: 'images' },
  createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
  createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
  uploadFile: { ...files.uploadFile, repair: fileOf },
  listFiles: { ...files.listFiles, repair: listOf },
  retrieveFile: { ...files.retrieveFile, repair: fileOf },
  deleteFile: { ...files.deleteFile, repair: deletionOf },
  retrieveFileContent: files.retrieveFileContent,
  retrieveModel: { method: 'GET', path: modelPath, flow: model },
};

/** Names of models have two parts: `openai/gpt-4`. */
function modelPath({ params }: CallFacts): string {
  const segments = (params.id ?? '').split('/').map((segment) => pathSegment(segment, 'id'));
  return `/model/${segments.join('/')}`;
}

async function model({ facts }: FlowCall, tools: FlowTools): Promise<FlowResult> {
  const { status, json } = await tools.send({ method: 'GET', url: modelPath(facts) });
  const { id, created } = asObject(json.data) ?? {};
  const owner = asString(id)?.split('/', 1)[0] ?? null;
  return { status, json: compact({ id, object: 'model', created, owned_by: owner }) };
}

/** Files are told of in a form of its own; they have no purpose but to be used in requests. */
function fileOf(file: JsonObject): JsonObject {
  if (file.type !== 'file') return file;
  const { type: _, created_at, size_bytes, ...rest } = file;
  return compact({
    ...rest,
    object: 'file',
    bytes: size_bytes,
    created_at: unixSeconds(created_at),
    purpose: 'user_data',
    status: 'processed',
  });
}

function listOf(json: JsonObject): JsonObject {
  return Array.isArray(json.data) ? { object: 'list', ...json, data: asObjects(json.data).map(fileOf) } : json;
}

function deletionOf(json: JsonObject): JsonObject {
  return json.type === 'file_deleted' ? compact({ id: json.id, object: 'file', deleted: true }) : json;
}
