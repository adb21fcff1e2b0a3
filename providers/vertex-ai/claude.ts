import {
  asString,
  compact,
  type Endpoints,
  type JsonObject,
  omit,
  type Settings,
  verifiedHistory,
} from 'portcullis/sdk';
import { bareName } from './names.ts';
import { inProject, ofPublisher } from './places.ts';

const version = 'vertex-2023-10-16';
const inPath: ReadonlySet<string> = new Set(['model']);

/**
 * The body of a message as the platform takes it: the version in it, the betas of the header too, and the model in the path.
 */
export function messageBody(body: JsonObject, settings: Settings): JsonObject {
  return { ...omit(counted(body, settings), inPath) };
}

/** The count of tokens keeps the model in the body. */
function counted(body: JsonObject, { anthropicBeta }: Settings): JsonObject {
  const betas = (asString(anthropicBeta) ?? '').split(',').flatMap((beta) => beta.trim() || []);
  return compact({
    anthropic_version: version,
    ...verifiedHistory(body),
    model: bareName(asString(body.model) ?? ''),
    anthropic_beta: body.anthropic_beta ?? (betas.length === 0 ? undefined : betas),
  });
}

/**
 * Claude. Chat requests and responses become messages.
 * Source: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai and
 * https://github.com/anthropics/anthropic-sdk-typescript (packages/vertex-sdk).
 */
export const claude: Endpoints = {
  messages: {
    path: ({ settings, model }) => ofPublisher(settings, 'anthropic', bareName(model), 'rawPredict'),
    streamPath: ({ settings, model }) => ofPublisher(settings, 'anthropic', bareName(model), 'streamRawPredict'),
    dialect: 'messages',
    request: (body, { settings }) => messageBody(body, settings),
  },
  messagesCountTokens: {
    path: inProject('/publishers/anthropic/models/count-tokens:rawPredict'),
    dialect: 'messages',
    request: (body, { settings }) => counted(body, settings),
  },
};
