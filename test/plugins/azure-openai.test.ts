import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Auth, AuthTools, JsonObject, Settings } from 'portcullis/sdk';
import { createGateway } from '../../core/gateway.ts';
import azure from '../../providers/azure-openai/index.ts';
import { silentLog, testConfig } from '../../sdk/testing/test-gateway.ts';

const entra: Settings = {
  azureAuthMode: 'entra',
  azureEntraTenantId: 'contoso.onmicrosoft.com',
  azureEntraClientId: 'client',
  azureEntraClientSecret: 'client-secret',
  azureEntraScope: 'https://cognitiveservices.azure.com/.default',
};

function authOf(settings: Settings): Auth {
  return typeof azure.auth === 'function' ? azure.auth(settings) : azure.auth;
}

const tools: AuthTools = {
  now: () => 0,
  send: () => assert.fail('Nothing is to be sent.'),
  cached: async (_, make) => (await make()).value,
  machine: undefined,
};

async function explained(settings: JsonObject, model = 'gpt-4o') {
  const gateway = await createGateway(
    testConfig({ azure: { provider: 'azure-openai', api_key: 'k', ...settings } }, 'azure'),
    {
      log: silentLog,
      env: () => undefined,
    },
  );
  try {
    const report = await gateway.explain({ body: { model, messages: [{ role: 'user', content: 'Hi' }] } });
    return { error: report.error ?? report.targets[0]?.error, url: report.targets[0]?.url };
  } finally {
    await gateway.close();
  }
}

describe('the auth of azure-openai', () => {
  it('asks Entra for a token with client credentials', async () => {
    const auth = authOf(entra);
    assert.equal(auth.kind, 'token');
    assert.deepEqual(auth.kind === 'token' && (await auth.request(entra, tools)), {
      method: 'POST',
      url: 'https://login.microsoftonline.com/contoso.onmicrosoft.com/oauth2/v2.0/token',
      form: {
        grant_type: 'client_credentials',
        client_id: 'client',
        client_secret: 'client-secret',
        scope: 'https://cognitiveservices.azure.com/.default',
      },
    });
  });
  for (const [name, param] of [
    ['azureEntraTenantId', 'azure_entra_tenant_id'],
    ['azureEntraClientId', 'azure_entra_client_id'],
    ['azureEntraClientSecret', 'azure_entra_client_secret'],
  ] as const) {
    it(`names ${param} when Entra needs it`, () => {
      const { [name]: _, ...rest } = entra;
      const auth = authOf(rest);
      assert.ok(auth.kind === 'token');
      assert.throws(() => auth.request(rest, tools), { code: 'missing_credentials', param });
    });
  }
  const refused: readonly (readonly [string, Settings, string])[] = [
    ['no key', {}, 'missing_credentials'],
    ['no token', { azureAuthMode: 'ad-token', apiKey: 'k' }, 'missing_credentials'],
    ['an unknown mode', { azureAuthMode: 'other' }, 'bad_request'],
  ];
  for (const [what, settings, code] of refused) {
    it(`refuses ${what} with ${code}`, () => assert.throws(() => authOf(settings), { code }));
  }
  it('prefers the mode to the token that is there', () => {
    assert.deepEqual(authOf({ azureAuthMode: 'apiKey', apiKey: 'k', azureAdToken: 't' }), {
      kind: 'header',
      name: 'api-key',
      from: 'apiKey',
    });
  });
});

describe('sessions of azure-openai', () => {
  const path = (settings: Settings, query: Record<string, string>) => {
    const spec = azure.endpoints.realtime;
    assert.ok(typeof spec?.path === 'function');
    return spec.path({ settings, endpoint: 'realtime', model: '', stream: false, params: {}, query });
  };
  const deployments = [{ deployment_id: 'voice', alias: 'gpt-realtime' }];
  const table: readonly (readonly [Settings, Record<string, string>, string])[] = [
    [{ azureApiVersion: 'v1' }, { model: 'gpt-realtime' }, '/v1/realtime?model=gpt-realtime'],
    [{ azureApiVersion: 'v1', deployments }, { model: 'gpt-realtime' }, '/v1/realtime?model=voice'],
    [{ azureApiVersion: 'v1' }, { intent: 'transcription' }, '/v1/realtime?intent=transcription'],
    [
      { azureApiVersion: '2025-04-01-preview', deployments },
      { model: 'gpt-realtime', 'x&y': 'a b' },
      '/realtime?api-version=2025-04-01-preview&x%26y=a+b&deployment=voice',
    ],
  ];
  for (const [settings, query, expected] of table)
    it(`are opened at ${expected}`, () => assert.equal(path(settings, query), expected));
});

describe('the URL of azure-openai', () => {
  const names: readonly string[] = ['evil.test#', 'a.b', 'a/b', 'a@b', 'a?b', '-a', ''];
  for (const azure_resource_name of names) {
    it(`refuses the resource name ${JSON.stringify(azure_resource_name)}`, async () => {
      const { error, url } = await explained({ azure_resource_name });
      assert.equal(url, undefined);
      assert.equal(error?.status, 400);
    });
  }
  for (const settings of [
    { azure_api_version: '2024-10-21&x=1' },
    { azure_deployment_id: '../models' },
    { azure_auth_mode: 'other' },
    { azure_entra_tenant_id: 'a/b' },
  ]) {
    it(`refuses ${JSON.stringify(settings)}`, async () => {
      assert.equal((await explained({ azure_resource_name: 'mine', ...settings })).error?.status, 400);
    });
  }
  for (const model of ['..', '.', 'a/../b', 'a?b#c', 'ü\ud800']) {
    it(`keeps the model ${JSON.stringify(model)} within its segment`, async () => {
      const { error, url } = await explained({ azure_resource_name: 'mine', azure_api_version: '2024-10-21' }, model);
      if (error !== undefined) assert.equal(error.param, 'model');
      else
        assert.match(
          String(url),
          /^https:\/\/mine\.openai\.azure\.com\/openai\/deployments\/[^/?#]{3,}\/chat\/completions\?api-version=2024-10-21$/,
        );
    });
  }
  it('names the deployment behind an alias, whose model is for its price alone', async () => {
    const deployments = [{ deployment_id: 'd1', alias: 'fast', api_version: '2024-10-21', model: 'gpt-4o' }];
    const named = async (model: string) => (await explained({ azure_resource_name: 'mine', deployments }, model)).url;
    assert.match(String(await named('fast')), /\/deployments\/d1\/chat\/completions\?api-version=2024-10-21$/);
    assert.match(String(await named('gpt-4o')), /\/openai\/v1\/chat\/completions$/);
  });
  it('needs the resource name', async () => {
    assert.equal((await explained({})).error?.param, 'azure_resource_name');
  });
});
