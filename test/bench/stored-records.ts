import { asObject, asString, type JsonObject, parseJson } from 'portcullis/sdk';
import { recordsSettings } from '../../core/config/control-settings.ts';
import { readEnvironment } from '../../core/config/env.ts';
import { createGateway } from '../../core/gateway.ts';
import { silentLog } from '../../core/log.ts';
import { testConfig } from '../support/gateway.ts';

/** What stands between a caller and its provider in a row. */
export interface StoredRecords {
  /** A rate limit and a budget on the key, and a policy for the workspace. */
  readonly limits?: boolean;
  /** One of the workspace, as its default. */
  readonly guardrail?: boolean;
  /** Makes more records of the workspace; `create` posts to `/v1/<path>`. */
  readonly also?: (create: (path: string, values: JsonObject) => Promise<JsonObject>) => Promise<void>;
}

/**
 * Makes the records of a row in a data folder, through the API as an operator would.
 * @returns the key that calls are made with
 */
export async function storeRecords(
  dataFolder: string,
  upstream: string,
  { limits = false, guardrail = false, also }: StoredRecords = {},
): Promise<string> {
  const settings = recordsSettings(readEnvironment({ DATA_DIR: dataFolder }), undefined);
  const gateway = await createGateway({ ...testConfig(), ...settings }, { log: silentLog });
  try {
    const { url } = await gateway.listen();
    const admin = /\b[0-9A-Za-z]{40}\b/.exec(gateway.control?.welcome.join('\n') ?? '')?.[0] ?? '';
    const call: Call = async (method, path, body) => {
      const reply = await fetch(url + path, {
        method,
        headers: { 'content-type': 'application/json', 'x-gw-api-key': admin },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
      return asObject(parseJson(text)) ?? {};
    };
    const { id } = await call('POST', '/v1/workspaces', { name: 'Bench' });
    const workspace = asString(id) ?? '';
    const integration = await call('POST', '/v1/integrations', {
      name: 'Bench',
      ai_provider_id: 'openai',
      key: 'test-key',
      workspace_id: workspace,
      create_default_provider: true,
      default_provider_slug: 'bench',
      configurations: { custom_host: `${upstream}/v1` },
    });
    if (integration.id === undefined) throw new Error('The integration was not made.');
    const config = await call('POST', '/v1/configs', {
      name: 'Bench',
      workspace_id: workspace,
      config: { virtual_key: 'bench' },
    });
    const made = await call('POST', '/v1/api-keys/workspace/service', {
      name: 'Bench',
      workspace_id: workspace,
      scopes: ['completions.write'],
      defaults: { config_id: asString(config.slug) ?? '' },
      ...(limits ? keyLimits : {}),
    });
    if (limits) await addLimits(call, workspace);
    if (guardrail) await addGuardrail(call, workspace);
    await also?.((path, values) => call('POST', `/v1/${path}`, { workspace_id: workspace, ...values }));
    return asString(made.key) ?? '';
  } finally {
    await gateway.close();
  }
}

type Call = (method: string, path: string, body?: JsonObject) => Promise<JsonObject>;

/** So high that no bench gets there. */
const keyLimits: JsonObject = {
  rate_limits: [{ type: 'requests', unit: 'rpm', value: 1_000_000_000 }],
  usage_limits: { type: 'cost', credit_limit: 1_000_000, alert_threshold: 900_000, periodic_reset: 'monthly' },
};

async function addLimits(call: Call, workspace: string): Promise<void> {
  await call('POST', '/v1/policies/rate-limits', {
    name: 'Bench',
    workspace_id: workspace,
    type: 'tokens',
    unit: 'rpm',
    value: 1_000_000_000,
    conditions: [{ key: 'workspace_id', value: '*' }],
    group_by: [{ key: 'api_key' }],
  });
}

async function addGuardrail(call: Call, workspace: string): Promise<void> {
  const guardrail = await call('POST', '/v1/guardrails', {
    name: 'Bench',
    workspace_id: workspace,
    checks: [{ id: 'default.wordCount', parameters: { minWords: 1, maxWords: 5000 } }],
    actions: { deny: true },
  });
  const slug = asString(guardrail.slug) ?? '';
  const path = `/v1/workspaces/${workspace}`;
  await call('PUT', path, { defaults: { input_guardrails: [slug] } });
  const names = asObject((await call('GET', path)).defaults)?.input_guardrails;
  // A member that the API does not know is overlooked, and the row would measure less than it says.
  if (!Array.isArray(names) || !names.includes(slug)) throw new Error('The guardrail is no default of the workspace.');
}
