import type { TestContext } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { guardrailUnits } from '../plugins/guardrails/guarded.ts';
import { startPromptWorld } from '../plugins/prompts/run/world.ts';
import type { Reply } from '../support/gateway.ts';

/** A world whose workspace has prompts, and configs that are saved by what they hold. */
export async function world(t: TestContext) {
  const started = await startPromptWorld(t, {
    config: { pluginFolders: [{ path: guardrailUnits, trust: 'trusted', requireSignature: false }] },
    overrides: { sleep: async () => {} },
  });
  const { ask, shop } = started;
  let configs = 0;
  return {
    ...started,
    /** The header that names a config of the workspace. */
    config: async (config: JsonObject): Promise<Record<string, string>> => {
      configs += 1;
      const made = await ask('POST', '/v1/configs', {
        name: `Config ${configs}`,
        workspace_id: shop.workspaceId,
        config,
      });
      return { 'x-gw-config': String(made.slug) };
    },
  };
}

/** The completion beside what the reply to a prompt has more. */
export function partsOf({ json }: Reply) {
  const { status, headers, body, ...own } = json;
  return { status, headers: asObject(headers), body, own };
}
