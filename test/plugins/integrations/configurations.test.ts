import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type JsonObject, type ProviderSummary } from 'portcullis/sdk';
import { findProvider, providerNamed } from '../../../plugins/integrations/catalogue/known-provider.ts';
import { mergeConfigurations, shownConfigurations } from '../../../plugins/integrations/configurations/merge.ts';
import { unitSettings } from '../../../plugins/integrations/configurations/unit-settings.ts';
import { mask } from '../../../plugins/integrations/mask.ts';
import { pricingConfig } from '../../../plugins/integrations/pricing.ts';
import { credentialsIn } from '../../../plugins/integrations/virtual-keys/credentials.ts';

const setting = (name: string, secret = false) => ({ name, secret });
const units: readonly ProviderSummary[] = [
  { name: 'openai', title: 'OpenAI', settings: [setting('api_key', true), setting('openai_organization')] },
  {
    name: 'azure-openai',
    title: 'Azure OpenAI',
    settings: [
      setting('api_key', true),
      setting('azure_resource_name'),
      setting('azure_auth_mode'),
      setting('azure_ad_token', true),
      setting('deployments'),
    ],
  },
];
const documented = ['bedrock', 'sagemaker', 'vertex-ai', 'workers-ai', 'huggingface', 'cortex', 'azure-ai'];
const host = {
  providers: () => [...units, ...documented.map((name) => ({ name, title: name, settings: [] }))],
  checkUrl: async (url: string, param: string) => {
    if (url.includes('169.254.')) throw new GatewayError('url_blocked', 'This place is not called.', { param });
  },
};

const none = { clear: {}, secret: {} };
const merge = (id: string, given: JsonObject | null, stored = none, mapped: readonly string[] = []) =>
  mergeConfigurations({
    host,
    provider: providerNamed(host, id, 'ai_provider_id'),
    given,
    stored,
    mapped: new Set(mapped),
  });
const refusing = (code: string, param: string) => (error: unknown) =>
  GatewayError.is(error) && error.code === code && error.param === param;

const deployment = { azure_deployment_name: 'd1', azure_api_version: '2024-10-21', azure_model_slug: 'gpt-4o' };
const azure = { azure_auth_mode: 'default', azure_resource_name: 'acme', azure_deployment_config: [deployment] };

describe('the providers of integrations', () => {
  it('are the installed units, under their aliases too', () => {
    assert.equal(findProvider(host, 'openai')?.unit?.name, 'openai');
    assert.equal(findProvider(host, 'open-ai')?.name, 'openai');
  });

  it('are no others, and the refusal lists close names', () => {
    assert.throws(
      () => providerNamed(host, 'opnai', 'ai_provider_id'),
      (error) => refusing('bad_request', 'ai_provider_id')(error) && /close to it are openai/.test(String(error)),
    );
  });

  it('are not looked for among what every object has', () => {
    assert.equal(findProvider(host, 'constructor'), undefined);
  });
});

describe('configurations', () => {
  it('part what may be shown from what may not', async () => {
    const kept = await merge('bedrock', {
      aws_auth_type: 'assumedRole',
      aws_region: 'eu-west-1',
      aws_role_arn: 'arn:aws:iam::1:role/gateway',
      aws_secret_access_key: 'very-secret-access-key',
    });
    assert.deepEqual(kept.secret, { aws_secret_access_key: 'very-secret-access-key' });
    assert.deepEqual(shownConfigurations(kept.clear, kept.masked), {
      aws_auth_type: 'assumedRole',
      aws_region: 'eu-west-1',
      aws_role_arn: 'arn:aws:iam::1:role/gateway',
      masked_aws_secret_access_key: 've*****key',
    });
  });

  it('keep what the body leaves out and drop what it sets to null', async () => {
    const stored = { clear: { openai_organization: 'org', openai_project: 'p' }, secret: {} };
    const kept = await merge('openai', { openai_organization: null, custom_host: 'https://ai.example.com' }, stored);
    assert.deepEqual(kept.clear, { openai_project: 'p', custom_host: 'https://ai.example.com' });
  });

  it('are all dropped by null', async () => {
    const kept = await merge('openai', null, {
      clear: { openai_project: 'p' },
      secret: { custom_headers: { a: 'b' } },
    });
    assert.deepEqual([kept.clear, kept.secret], [{}, {}]);
  });

  it('change nothing by the masks that come back with them', async () => {
    const stored = { clear: azure as JsonObject, secret: { azure_entra_client_secret: 'a-secret-of-entra' } };
    const kept = await merge('azure-openai', { masked_azure_entra_client_secret: 'a-*****tra' }, stored);
    assert.deepEqual(kept.secret, stored.secret);
  });

  it('may be written in camel case, and are kept in snake case', async () => {
    const kept = await merge('openai', {
      anthropicInspectStreamForOverloadedError: true,
      openaiProject: 'p',
    });
    assert.deepEqual(kept.clear, { anthropic_inspect_stream_for_overloaded_error: true, openai_project: 'p' });
  });

  it('may be null though the provider has no such one', async () => {
    assert.deepEqual((await merge('openai', { azure_resource_name: null })).clear, {});
  });

  it('mask the values of custom headers and show their names', async () => {
    const kept = await merge('openai', { custom_headers: { 'X-Tenant': 'tenant-secret-value' } });
    assert.deepEqual(shownConfigurations(kept.clear, kept.masked), {
      masked_custom_headers: { 'x-tenant': 'te*****lue' },
    });
  });

  it('take what a unit takes beside the documented ones, its secrets encrypted', async () => {
    const kept = await merge('azure-openai', { ...azure, azure_ad_token: 'token-of-the-directory' });
    assert.deepEqual(kept.secret, { azure_ad_token: 'token-of-the-directory' });
  });

  it('may leave out a required one that a secret manager gives', async () => {
    const { azure_resource_name: _, ...rest } = azure;
    const kept = await merge('azure-openai', rest, none, ['azure_resource_name']);
    assert.equal(kept.clear.azure_resource_name, undefined);
  });

  it('take a service account as an object and as its text', async () => {
    const account = { type: 'service_account' };
    const of = async (json: JsonObject | string) =>
      (
        await merge('vertex-ai', {
          vertex_auth_type: 'serviceAccount',
          vertex_region: 'r',
          vertex_service_account_json: json,
        })
      ).secret;
    assert.deepEqual(await of(account), { vertex_service_account_json: account });
    assert.deepEqual(await of(JSON.stringify(account)), { vertex_service_account_json: account });
  });

  const faults: readonly (readonly [string, string, JsonObject, string, string])[] = [
    ['a name that nobody reads', 'openai', { openai_organisation: 'x' }, 'bad_request', 'openai_organisation'],
    ['a missing required one', 'azure-openai', { azure_resource_name: 'a' }, 'bad_request', 'azure_auth_mode'],
    ['a value outside the list', 'bedrock', { aws_auth_type: 'magic' }, 'bad_request', 'aws_auth_type'],
    ['an empty text', 'openai', { openai_project: '' }, 'bad_request', 'openai_project'],
    ['a place that is not called', 'openai', { custom_host: 'http://169.254.169.254' }, 'url_blocked', 'custom_host'],
    ['a URL that is too long', 'openai', { custom_host: `https://${'a'.repeat(2048)}` }, 'bad_request', 'custom_host'],
    [
      'headers of the gateway',
      'openai',
      { custom_headers: { 'X-GW-Config': '1' } },
      'bad_request',
      'custom_headers.X-GW-Config',
    ],
    [
      'headers of the connection',
      'openai',
      { custom_headers: { Connection: 'x' } },
      'bad_request',
      'custom_headers.Connection',
    ],
    ['the host header', 'openai', { custom_headers: { host: 'x' } }, 'bad_request', 'custom_headers.host'],
    [
      'header values with a line break',
      'openai',
      { custom_headers: { a: 'x\r\ny: z' } },
      'bad_request',
      'custom_headers.a',
    ],
    ['header names with a space', 'openai', { custom_headers: { 'a b': 'x' } }, 'bad_request', 'custom_headers.a b'],
    [
      'a flag that is none',
      'openai',
      { anthropic_inspect_stream_for_overloaded_error: 'yes' },
      'bad_request',
      'anthropic_inspect_stream_for_overloaded_error',
    ],
    [
      'no deployments',
      'azure-openai',
      { ...azure, azure_deployment_config: [] },
      'bad_request',
      'azure_deployment_config',
    ],
    [
      'a long API version',
      'azure-openai',
      { ...azure, azure_deployment_config: [{ ...deployment, azure_api_version: 'v'.repeat(31) }] },
      'bad_request',
      'azure_deployment_config[0].azure_api_version',
    ],
    [
      'two default deployments',
      'azure-openai',
      {
        ...azure,
        azure_deployment_config: [
          { ...deployment, is_default: true },
          { ...deployment, is_default: true },
        ],
      },
      'bad_request',
      'azure_deployment_config',
    ],
  ];
  for (const [name, id, given, code, param] of faults)
    it(`refuse ${name}`, () => assert.rejects(merge(id, given), refusing(code, `configurations.${param}`)));

  it('never repeat a secret in a refusal', async () => {
    await assert.rejects(
      merge('openai', { custom_headers: { authorization: 'Bearer \n top-secret' } }),
      (error) => !String(error).includes('top-secret'),
    );
  });
});

describe('the settings of a unit', () => {
  it('have its own names, and leave out what it does not take', () => {
    const provider = providerNamed(host, 'azure', 'ai_provider_id');
    const settings = unitSettings(provider, 'k', { ...azure, azure_managed_client_id: 'm', custom_host: 'https://x' });
    assert.deepEqual(settings, {
      api_key: 'k',
      azure_auth_mode: 'apiKey',
      azure_resource_name: 'acme',
      deployments: [{ deployment_id: 'd1', alias: 'gpt-4o', api_version: '2024-10-21', model: 'gpt-4o' }],
    });
  });
});

describe('masks', () => {
  it('show the ends of a long secret and nothing of a short one', () => {
    assert.equal(mask('sk-abcdefghij3AX'), 'sk*****3AX');
    assert.equal(mask('sk-short'), '*****');
  });
});

describe('prices of a model', () => {
  const at = 'pricing_config';
  it('are static, in cents', () => {
    const config = { type: 'static', pay_as_you_go: { request_token: { price: 0.001 } } };
    assert.deepEqual(pricingConfig(config, at), config);
  });
  for (const [name, config, param] of [
    ['another type', { type: 'dynamic' }, `${at}.type`],
    ['no prices', { type: 'static' }, `${at}.pay_as_you_go`],
    [
      'a negative price',
      { type: 'static', pay_as_you_go: { request_token: { price: -1 } } },
      `${at}.pay_as_you_go.request_token.price`,
    ],
    [
      'a price as text',
      { type: 'static', pay_as_you_go: { request_token: { price: '1' } } },
      `${at}.pay_as_you_go.request_token.price`,
    ],
  ] as const)
    it(`refuse ${name}`, () => assert.throws(() => pricingConfig(config, at), refusing('bad_request', param)));
});

describe('the credentials of a virtual key', () => {
  it('are configurations under older names', () => {
    const body = { resourceName: 'acme', deploymentName: 'd1', apiVersion: '2024-10-21', key: 'k' };
    assert.deepEqual(credentialsIn(body, true), {
      key: 'k',
      configurations: {
        azure_auth_mode: 'default',
        azure_resource_name: 'acme',
        azure_deployment_config: [
          { azure_deployment_name: 'd1', azure_api_version: '2024-10-21', azure_model_slug: 'd1', is_default: true },
        ],
      },
    });
  });

  it('may stand in model_config, in either spelling', () => {
    assert.deepEqual(credentialsIn({ model_config: { awsRegion: 'r', aws_role_arn: 'a' } }, false), {
      configurations: { aws_region: 'r', aws_role_arn: 'a' },
    });
  });

  it('are undefined where a body names none', () => {
    assert.equal(credentialsIn({ name: 'x', note: 'y' }, false), undefined);
  });
});
