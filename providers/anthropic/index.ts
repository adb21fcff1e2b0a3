import { provider, type Settings, schema, secret, setting } from 'portcullis/sdk';

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
  headers: ({ settings }) => ({
    'anthropic-version': String(settings.anthropicVersion),
    'anthropic-beta': betasOf(settings),
  }),
  endpoints: {
    messages: { path: '/messages', dialect: 'messages' },
    messagesCountTokens: { path: '/messages/count_tokens', dialect: 'messages' },
    // The longest page: without a limit only the first 20 models come.
    listModels: { method: 'GET', path: '/models?limit=1000' },
    proxy: { path: '' },
  },
});

function betasOf(settings: Settings): string | undefined {
  const given = typeof settings.anthropicBeta === 'string' ? settings.anthropicBeta : undefined;
  if (!isOAuth(settings) || given?.includes(oauthBeta) === true) return given;
  return given === undefined ? oauthBeta : `${given},${oauthBeta}`;
}
