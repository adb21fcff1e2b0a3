import {
  asString,
  type CallFacts,
  type EndpointSpec,
  type JsonObject,
  type ModelFamily,
  type Settings,
  verifiedHistory,
} from 'portcullis/sdk';
import { deploymentOf, placeOf, speaksMessages } from './place.ts';

/** https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry */
const messages: EndpointSpec = { path: pathTo('/messages'), dialect: 'messages', request };

/** Models that answer in the messages format alone, to clients of each format. */
export const claude: ModelFamily = {
  name: 'claude',
  fits: isClaude,
  endpoints: {
    messages,
    chatComplete: messages,
    complete: messages,
    createModelResponse: messages,
    messagesCountTokens: { path: pathTo('/messages/count_tokens'), dialect: 'messages', request },
  },
};

export function isClaude(model: string, settings: Settings): boolean {
  return /claude/i.test(model) || speaksMessages(settings);
}

export function claudeHeaders({ settings }: CallFacts): Readonly<Record<string, string | undefined>> {
  return {
    'anthropic-version': String(settings.anthropicVersion),
    'anthropic-beta': asString(settings.anthropicBeta),
  };
}

function pathTo(path: string) {
  return ({ settings }: CallFacts) => {
    const { layout, base } = placeOf(settings);
    if (layout !== 'single') return `/anthropic/v1${path}`;
    return base?.endsWith('/v1') === true ? path : `/v1${path}`;
  };
}

function request(body: JsonObject, facts: CallFacts): JsonObject {
  const model = deploymentOf(facts);
  const verified = verifiedHistory(body);
  return model === body.model ? verified : { ...verified, model };
}
