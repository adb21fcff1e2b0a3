import {
  asString,
  type CallFacts,
  type JsonObject,
  provider,
  type Settings,
  schema,
  secret,
  setting,
  verifiedHistory,
} from 'portcullis/sdk';
import { files, filesBeta, isFileEndpoint } from './files.ts';

/** The beta without which OAuth tokens are refused. */
const oauthBeta = 'oauth-2025-04-20';

const isOAuth = ({ apiKey }: Settings) => typeof apiKey === 'string' && apiKey.startsWith('sk-ant-oat');

/** https://platform.claude.com/docs/en/api */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'ANTHROPIC_API_KEY', description: 'An API key, or an OAuth token (sk-ant-oat...).' }),
    anthropicVersion: setting({ header: 'anthropic-version', default: '2023-06-01' }),
    anthropicBeta: schema.Optional(
      setting({ header: 'anthropic-beta', description: 'Beta features, comma separated.' }),
    ),
  }),
  base: 'https://api.anthropic.com/v1',
  auth: (settings) =>
    isOAuth(settings) ? { kind: 'bearer', from: 'apiKey' } : { kind: 'header', name: 'x-api-key', from: 'apiKey' },
  headers: (facts) => ({
    'anthropic-version': String(facts.settings.anthropicVersion),
    'anthropic-beta': betasOf(facts),
  }),
  endpoints: {
    messages: { path: '/messages', dialect: 'messages', request },
    messagesCountTokens: { path: '/messages/count_tokens', dialect: 'messages', request },
    ...files,
    // The longest page: without a limit only the first 20 models come.
    listModels: { method: 'GET', path: '/models?limit=1000' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    proxy: { path: '' },
  },
});

/** Other models behind a custom host have histories of their own kind. */
function request(body: JsonObject, { model }: CallFacts): JsonObject {
  return /claude/i.test(model) ? verifiedHistory(body) : body;
}

function betasOf({ settings, endpoint }: CallFacts): string | undefined {
  const given = asString(settings.anthropicBeta);
  const needed = [...(isOAuth(settings) ? [oauthBeta] : []), ...(isFileEndpoint(endpoint) ? [filesBeta] : [])];
  const missing = needed.filter((beta) => given?.includes(beta) !== true);
  const betas = [...(given === undefined ? [] : [given]), ...missing];
  return betas.length === 0 ? undefined : betas.join(',');
}
