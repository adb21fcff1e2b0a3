import type { JsonObject } from 'portcullis/sdk';

/** Sends one request with the admin key; fails unless it is answered with 2xx. */
export type Ask = (method: string, path: string, body?: JsonObject) => Promise<JsonObject>;

/** A workspace that can call models: its key, its provider and its config. */
export interface Furnished {
  readonly workspaceId: string;
  readonly workspace: string;
  readonly integration: string;
  readonly provider: string;
  readonly config: string;
  readonly key: string;
  readonly keyId: string;
  /** What the upstream must see. */
  readonly authorization: string;
}

/** Makes a workspace with an integration that leads to `origin`, a provider, a config that uses it, and a service key. */
export async function furnish(ask: Ask, origin: string, name: string): Promise<Furnished> {
  const slug = name.toLowerCase();
  const workspace = await ask('POST', '/v1/admin/workspaces', { name, slug: `ws-${slug}` });
  const workspaceId = String(workspace.id);
  const secret = `sk-upstream-secret-of-${slug}`;
  const integration = await integrate(ask, { slug: `int-${slug}`, secret, origin });
  await ask('PUT', `/v1/integrations/${integration}/workspaces`, {
    workspaces: [{ id: workspaceId, enabled: true }],
    create_default_provider: false,
  });
  const provider = `prov-${slug}`;
  await ask('POST', '/v1/providers', {
    name: provider,
    slug: provider,
    integration_id: integration,
    workspace_id: workspaceId,
  });
  const config = await ask('POST', '/v1/configs', {
    name: `Config of ${name}`,
    workspace_id: workspaceId,
    config: { provider: `@${provider}`, override_params: { user: 'config-1' } },
  });
  const key = await ask('POST', '/v1/api-keys/workspace/service', {
    name: `Key of ${name}`,
    workspace_id: workspaceId,
    scopes: ['completions.write'],
  });
  return {
    workspaceId,
    workspace: String(workspace.slug),
    integration,
    provider,
    config: String(config.slug),
    key: String(key.key),
    keyId: String(key.id),
    authorization: `Bearer ${secret}`,
  };
}

/** An integration with the OpenAI wire format at `origin`. */
export async function integrate(
  ask: Ask,
  { slug, secret, origin }: { readonly slug: string; readonly secret: string; readonly origin: string },
): Promise<string> {
  const made = await ask('POST', '/v1/integrations', {
    name: slug,
    slug,
    ai_provider_id: 'openai',
    key: secret,
    configurations: { custom_host: `${origin}/v1` },
  });
  return String(made.slug);
}
