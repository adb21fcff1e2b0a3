import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { JsonObject, Manifest, Provider, ProviderSummary } from 'portcullis/sdk';
import { compileProvider } from '../../../core/upstream/provider-unit.ts';
import { findProvider } from '../../../plugins/integrations/catalogue/known-provider.ts';
import { unitSettings } from '../../../plugins/integrations/configurations/unit-settings.ts';

/** What integrations of platforms hold, by the documented names. */
const documented: readonly (readonly [provider: string, key: string | undefined, configurations: JsonObject])[] = [
  [
    'bedrock',
    undefined,
    { aws_auth_type: 'accessKey', aws_region: 'eu-west-1', aws_access_key_id: 'A', aws_secret_access_key: 's' },
  ],
  [
    'bedrock',
    undefined,
    {
      aws_auth_type: 'assumedRole',
      aws_region: 'eu-west-1',
      aws_role_arn: 'arn:aws:iam::123456789012:role/gateway',
      aws_external_id: 'external',
    },
  ],
  ['bedrock', 'bedrock-key', { aws_auth_type: 'apiKey', aws_region: 'eu-west-1' }],
  [
    'sagemaker',
    undefined,
    {
      aws_auth_type: 'accessKey',
      aws_region: 'eu-west-1',
      aws_access_key_id: 'A',
      aws_secret_access_key: 's',
      amzn_sagemaker_target_model: 'm',
    },
  ],
  [
    'vertex-ai',
    undefined,
    {
      vertex_auth_type: 'serviceAccount',
      vertex_region: 'europe-west1',
      vertex_project_id: 'project',
      vertex_service_account_json: { type: 'service_account' },
    },
  ],
  ['vertex-ai', 'token', { vertex_auth_type: 'basic', vertex_region: 'global', vertex_project_id: 'project' }],
  [
    'azure-openai',
    'key',
    {
      azure_auth_mode: 'default',
      azure_resource_name: 'acme',
      azure_deployment_config: [
        { azure_deployment_name: 'd', azure_api_version: '2024-10-21', azure_model_slug: 'gpt-4o' },
      ],
    },
  ],
  [
    'azure-openai',
    undefined,
    {
      azure_auth_mode: 'entraFederated',
      azure_resource_name: 'acme',
      azure_deployment_config: [{ azure_deployment_name: 'd', azure_api_version: 'v1', azure_model_slug: 'gpt-4o' }],
    },
  ],
  ['azure-ai', 'key', { azure_auth_mode: 'default', azure_foundry_url: 'https://acme.services.ai.azure.com' }],
  [
    'azure-ai',
    undefined,
    {
      azure_auth_mode: 'entra',
      azure_foundry_url: 'https://acme.services.ai.azure.com',
      azure_entra_tenant_id: 't',
      azure_entra_client_id: 'c',
      azure_entra_client_secret: 's',
    },
  ],
  ['workers-ai', 'token', { workers_ai_account_id: '0123456789abcdef0123456789abcdef' }],
  ['cortex', 'token', { snowflake_account: 'org-account' }],
  ['huggingface', 'token', {}],
];

const folder = new URL('../../../providers/', import.meta.url);

async function unitOf(name: string) {
  const manifest = JSON.parse(readFileSync(new URL(`${name}/plugin.json`, folder), 'utf8')) as Manifest;
  const { default: definition } = (await import(new URL(`${name}/index.ts`, folder).href)) as { default: Provider };
  return compileProvider(manifest, definition);
}

describe('the documented configurations of a platform', () => {
  for (const [name, key, configurations] of documented) {
    const mode = Object.values(configurations)[0] ?? 'a key';
    it(`are settings that ${name} takes with ${String(mode)}`, async () => {
      const unit = await unitOf(name);
      const summary: ProviderSummary = {
        name,
        title: unit.title,
        settings: unit.fields.map(({ snake, secret }) => ({ name: snake, secret })),
      };
      const known = findProvider({ providers: () => [summary] }, name);
      assert.ok(known !== undefined);
      for (const field of Object.keys(configurations)) assert.ok(known.fields.has(field), `${field} is no field`);
      const snake = unitSettings(known, key, configurations);
      const settings = Object.fromEntries(
        unit.fields.flatMap((field) => {
          const value = snake[field.snake];
          return value === undefined ? [] : [[field.name, value]];
        }),
      );
      assert.deepEqual(
        Object.keys(snake).filter((given) => !unit.fields.some((field) => field.snake === given)),
        [],
      );
      const valid = unit.validate(settings);
      const { base } = unit.definition;
      const url =
        typeof base === 'string' ? base.replace(/\{(\w+)\}/g, (_, field) => String(valid[field])) : base(valid);
      assert.equal(new URL(url).protocol, 'https:');
    });
  }
});
