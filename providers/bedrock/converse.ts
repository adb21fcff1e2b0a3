import {
  asObject,
  asString,
  type CallFacts,
  compact,
  type Endpoints,
  type Json,
  type JsonObject,
  omit,
  pathSegment,
} from 'portcullis/sdk';
import { betasOf } from './betas.ts';
import { named } from './errors.ts';
import { askedModel, familyOf, ofModel } from './names.ts';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, for every model that talks. */
export const converse: Endpoints = {
  chatComplete: {
    path: ofModel('converse'),
    streamPath: ofModel('converse-stream'),
    dialect: 'converse',
    // Streams too: official clients of the messages format ask so, and no other type is documented.
    accept: 'application/json',
    request: ofFamily,
    repair: named,
  },
  // Tokens are counted by foundation models alone: https://docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html
  messagesCountTokens: {
    path: (facts) => `/model/${pathSegment(askedModel(facts) || facts.model, 'model')}/count-tokens`,
    dialect: 'converse',
    repair: named,
  },
};

/** The model's own fields in the words of its family; the dialect writes them as Claude knows them. */
export function ofFamily(body: JsonObject, facts: CallFacts): JsonObject {
  const given = asObject(body.additionalModelRequestFields) ?? {};
  const effort = asString(asObject(body.outputConfig)?.effort);
  switch (familyOf(askedModel(facts))) {
    case 'claude':
      return withFields(body, compact({ ...given, anthropic_beta: betasOf(given.anthropic_beta, facts.settings) }));
    case 'nova':
      return withFields(withoutEffort(body), novaFields(given, effort));
    case 'cohere':
      return withFields(body, compact({ ...omit(given, new Set(['top_k'])), k: given.k ?? given.top_k }));
    case 'gpt-oss': {
      const reasoning_effort = given.reasoning_effort ?? effort;
      return withFields(withoutEffort(body), compact({ ...given, reasoning_effort }));
    }
    default:
      return body;
  }
}

const replaced = new Set(['top_k', 'thinking']);

/** https://docs.aws.amazon.com/nova/latest/userguide/using-converse-api.html and nova2-userguide/extended-thinking.html */
function novaFields(given: JsonObject, effort: string | undefined): JsonObject {
  const thinking = asObject(given.thinking);
  const thinks = effort !== undefined || (thinking !== undefined && thinking.type !== 'disabled');
  const off = thinking?.type === 'disabled' ? { type: 'disabled' } : undefined;
  const topK = given.top_k === undefined ? {} : { topK: given.top_k };
  const inferenceConfig = { ...topK, ...asObject(given.inferenceConfig) };
  return compact({
    ...omit(given, replaced),
    inferenceConfig: Object.keys(inferenceConfig).length === 0 ? undefined : inferenceConfig,
    reasoningConfig: given.reasoningConfig ?? (thinks ? { type: 'enabled', maxReasoningEffort: levelOf(effort) } : off),
  });
}

function levelOf(effort: string | undefined): string {
  if (effort === undefined) return 'medium';
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}

function withoutEffort(body: JsonObject): JsonObject {
  const config = asObject(body.outputConfig);
  if (config?.effort === undefined) return body;
  const rest = omit(config, new Set(['effort']));
  const fields: { [key: string]: Json } = { ...omit(body, new Set(['outputConfig'])) };
  if (Object.keys(rest).length > 0) fields.outputConfig = rest;
  return fields;
}

function withFields(body: JsonObject, fields: JsonObject): JsonObject {
  if (Object.keys(fields).length === 0) return omit(body, new Set(['additionalModelRequestFields']));
  return { ...body, additionalModelRequestFields: fields };
}
