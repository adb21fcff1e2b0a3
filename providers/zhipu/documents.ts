import {
  asString,
  type Endpoints,
  type JsonObject,
  layoutParsing,
  publishedBatches,
  publishedFiles,
  publishedFineTuning,
  type ReplyFacts,
} from 'portcullis/sdk';

const { retrieveFile: _file, ...files } = publishedFiles();
const { listFinetuneCheckpoints: _checkpoints, ...jobs } = publishedFineTuning();

/**
 * Source: https://docs.bigmodel.cn/api-reference, https://github.com/zai-org/z-ai-sdk-python and, for fine-tuning,
 * https://github.com/MetaGLM/zhipuai-sdk-python-v4. A single file cannot be asked for.
 */
export const documents: Endpoints = {
  imageGenerate: { path: '/images/generations', dialect: 'images' },
  createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
  createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
  rerank: { path: '/rerank', dialect: 'rerank', repair: ranked },
  ocr: layoutParsing,
  ...files,
  ...publishedBatches(),
  ...jobs,
};

function ranked(json: JsonObject, { asked }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.results)) return json;
  const results = (json.results as readonly JsonObject[]).map((result) => {
    const text = asString(result.document);
    return text === undefined ? result : { ...result, document: { text } };
  });
  return { object: 'list', model: asString(asked.model) ?? '', ...json, results };
}
