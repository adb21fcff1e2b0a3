import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Auth, CallFacts, JsonObject, Settings } from 'portcullis/sdk';
import { createGateway } from '../../../core/gateway.ts';
import foundry from '../../../providers/azure-ai/index.ts';
import { silentLog, testConfig } from '../../../sdk/testing/test-gateway.ts';

async function explained(settings: JsonObject) {
  const target = { provider: 'azure-ai', api_key: 'k', ...settings };
  const gateway = await createGateway(testConfig({ foundry: target }, 'foundry'), {
    log: silentLog,
    env: () => undefined,
  });
  try {
    const report = await gateway.explain({ body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } });
    return { error: report.error ?? report.targets[0]?.error, url: report.targets[0]?.url };
  } finally {
    await gateway.close();
  }
}

const res = 'https://res.services.ai.azure.com';

describe('the endpoint of azure-ai', () => {
  const served: readonly (readonly [JsonObject, string])[] = [
    [{ azure_foundry_url: `${res}/` }, `${res}/openai/v1/chat/completions`],
    [{ azure_foundry_url: `${res}/openai/v1` }, `${res}/openai/v1/chat/completions`],
    [{ azure_foundry_url: `${res}/models/` }, `${res}/models/chat/completions?api-version=2024-05-01-preview`],
    [{ azure_foundry_url: `${res}/models`, azure_api_version: 'v1' }, `${res}/openai/v1/chat/completions`],
    [{ azure_foundry_url: `${res}/api/projects/one` }, `${res}/api/projects/one/openai/v1/chat/completions`],
    [
      { azure_foundry_url: res, azure_api_version: '2025-04-01' },
      `${res}/models/chat/completions?api-version=2025-04-01`,
    ],
    [
      {
        azure_foundry_url: 'https://res.openai.azure.com',
        azure_api_version: '2024-10-21',
        azure_deployment_name: 'd',
      },
      'https://res.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21',
    ],
    [{ azure_endpoint_name: 'other' }, 'https://other.services.ai.azure.com/openai/v1/chat/completions'],
    [{ custom_host: 'https://gateway.example/base/v1' }, 'https://gateway.example/base/v1/chat/completions'],
  ];
  for (const [settings, url] of served) {
    it(`is ${url}`, async () => assert.equal((await explained(settings)).url, url));
  }
  const refused: readonly string[] = [
    'http://res.services.ai.azure.com',
    'https://services.ai.azure.com.evil.example',
    'https://evil.example/.services.ai.azure.com',
    'https://evil.example#.services.ai.azure.com',
    'https://user@res.services.ai.azure.com',
    'https://res.services.ai.azure.com:8443',
    'https://res.services.ai.azure.com/models?api-version=1',
    'https://res.services.ai.azure.com/../x',
    'https://res.services.ai.azure.com//x',
    'https://res.services.ai.azure.com/a%2fb',
    'https://services.ai.azure.com',
    'https://res.azure.com',
  ];
  for (const azure_foundry_url of refused) {
    it(`is never ${azure_foundry_url}`, async () => {
      const { error, url } = await explained({ azure_foundry_url });
      assert.equal(url, undefined);
      assert.equal(error?.status, 400);
    });
  }
  it('needs a URL', async () => assert.equal((await explained({})).error?.param, 'azure_foundry_url'));
});

describe('the key of azure-ai', () => {
  const authOf = (settings: Settings): Auth =>
    typeof foundry.auth === 'function' ? foundry.auth(settings) : foundry.auth;
  const table: readonly (readonly [string, Auth])[] = [
    [res, { kind: 'header', name: 'api-key', from: 'apiKey' }],
    [`${res}/anthropic/v1`, { kind: 'header', name: 'x-api-key', from: 'apiKey' }],
    ['https://one.eastus.models.ai.azure.com', { kind: 'bearer', from: 'apiKey' }],
  ];
  for (const [azureFoundryUrl, auth] of table) {
    it(`travels to ${azureFoundryUrl} by ${auth.kind === 'header' ? auth.name : auth.kind}`, () =>
      assert.deepEqual(authOf({ azureFoundryUrl, apiKey: 'k' }), auth));
  }
  it('is not needed beside a token', () =>
    assert.deepEqual(authOf({ azureFoundryUrl: res, azureAdToken: 't' }), { kind: 'bearer', from: 'azureAdToken' }));
});

describe('sessions of azure-ai', () => {
  const facts = (settings: Settings): CallFacts => ({
    settings,
    endpoint: 'realtime',
    model: '',
    stream: false,
    params: {},
    query: { model: 'gpt-realtime' },
  });
  const table: readonly (readonly [Settings, string])[] = [
    [{ azureFoundryUrl: res }, '/openai/v1/realtime?model=gpt-realtime'],
    [{ azureFoundryUrl: res, azureDeploymentName: 'voice' }, '/openai/v1/realtime?model=voice'],
    [
      { azureFoundryUrl: 'https://res.openai.azure.com', azureApiVersion: '2025-04-01-preview' },
      '/openai/realtime?api-version=2025-04-01-preview&deployment=gpt-realtime',
    ],
  ];
  for (const [settings, expected] of table) {
    it(`are opened at ${expected}`, () => {
      const spec = foundry.endpoints.realtime;
      assert.ok(typeof spec?.path === 'function');
      assert.equal(spec.path(facts(settings)), expected);
    });
  }
});
