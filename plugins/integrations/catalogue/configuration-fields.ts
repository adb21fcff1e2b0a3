import { asObjects, type Json } from 'portcullis/sdk';
import type { ConfigurationField } from './configuration-field.ts';

const entra: readonly ConfigurationField[] = [
  { name: 'azure_entra_tenant_id', kind: 'text' },
  { name: 'azure_entra_client_id', kind: 'text' },
  { name: 'azure_entra_client_secret', kind: 'text', secret: true },
  { name: 'azure_managed_client_id', kind: 'text' },
];

const azureModes = ['default', 'entra', 'managed', 'workload', 'entraFederated'];

/** The last two are the machine's own identity, where the operator allows that. */
const awsModes = ['accessKey', 'assumedRole', 'apiKey', 'machine', 'workload'];

const aws: readonly ConfigurationField[] = [
  { name: 'aws_auth_type', kind: 'text', required: true, values: awsModes },
  { name: 'aws_region', kind: 'text', required: true, max: 64 },
  { name: 'aws_access_key_id', kind: 'text', secret: true },
  { name: 'aws_secret_access_key', kind: 'text', secret: true },
  // A role's name opens nothing by itself, and operators need to see which one it is.
  { name: 'aws_role_arn', kind: 'text', max: 2048 },
  { name: 'aws_external_id', kind: 'text', max: 1224 },
];

const sagemaker = [
  'custom_attributes',
  'target_model',
  'target_variant',
  'target_container_hostname',
  'inference_id',
  'enable_explanations',
  'inference_component',
  'session_id',
  'model_name',
].map((name): ConfigurationField => ({ name: `amzn_sagemaker_${name}`, kind: 'text' }));

/** The documented configurations by provider; what else a unit takes is read from the unit itself. */
export const configurationFields: Readonly<Record<string, readonly ConfigurationField[]>> = {
  openai: [
    { name: 'openai_organization', kind: 'text' },
    { name: 'openai_project', kind: 'text' },
  ],
  'azure-openai': [
    { name: 'azure_auth_mode', kind: 'text', required: true, values: azureModes, toSetting: azureMode },
    { name: 'azure_resource_name', kind: 'text', required: true, max: 64 },
    {
      name: 'azure_deployment_config',
      kind: 'deployments',
      required: true,
      setting: 'deployments',
      toSetting: deploymentsOf,
    },
    ...entra,
  ],
  'azure-ai': [
    { name: 'azure_auth_mode', kind: 'text', values: azureModes, toSetting: azureMode },
    { name: 'azure_foundry_url', kind: 'url', required: true },
    { name: 'azure_api_version', kind: 'text', max: 30 },
    { name: 'azure_deployment_name', kind: 'text', max: 64 },
    ...entra,
  ],
  bedrock: aws,
  sagemaker: [...aws, ...sagemaker],
  'vertex-ai': [
    {
      name: 'vertex_auth_type',
      kind: 'text',
      required: true,
      values: ['basic', 'serviceAccount', 'workloadIdentity'],
    },
    { name: 'vertex_region', kind: 'text', required: true, max: 64 },
    { name: 'vertex_project_id', kind: 'text' },
    { name: 'vertex_service_account_json', kind: 'json', secret: true },
  ],
  'workers-ai': [{ name: 'workers_ai_account_id', kind: 'text', required: true }],
  huggingface: [{ name: 'huggingface_base_url', kind: 'url' }],
  cortex: [{ name: 'snowflake_account', kind: 'text', required: true }],
};

function azureMode(mode: Json): Json {
  if (mode === 'default') return 'apiKey';
  return mode === 'entraFederated' ? 'workload' : mode;
}

/** The deployments in the unit's own names; one without an alias answers to the model that it deploys. */
function deploymentsOf(list: Json): Json {
  return asObjects(list).map((entry) => ({
    deployment_id: entry.azure_deployment_name ?? '',
    alias: entry.alias ?? entry.azure_model_slug ?? '',
    api_version: entry.azure_api_version ?? '',
    ...(entry.azure_model_slug === undefined ? {} : { model: entry.azure_model_slug }),
    ...(entry.is_default === true ? { is_default: true } : {}),
  }));
}
