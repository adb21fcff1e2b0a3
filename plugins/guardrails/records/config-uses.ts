import { isDeepStrictEqual } from 'node:util';
import {
  asArray,
  asObject,
  configNodes,
  GatewayError,
  guardrailInReach,
  type HookField,
  type JsonObject,
  type Operation,
  type Reaction,
  type StoredRecord,
} from 'portcullis/sdk';
import type { GuardrailRecord } from './table.ts';

const hookFields = [
  'before_request_hooks',
  'after_request_hooks',
  'input_guardrails',
  'output_guardrails',
  'input_mutators',
  'output_mutators',
  'default_input_guardrails',
  'default_output_guardrails',
] as const satisfies readonly HookField[];

/** Saved configs name guardrails that are there, and which of them they name is kept. */
export const configReactions: Readonly<Record<string, Reaction>> = {
  'configs.created': (operation, config) => keepUses(operation, config),
  'configs.updated': async (operation, config, { before }) => {
    const { config: content, status } = asObject(before) ?? {};
    if (status === config.status && isDeepStrictEqual(content, config.config)) return;
    await keepUses(operation, config);
  },
  'configs.removed': (operation, config) => forgetUses(operation, { config_id: config.id }),
};

/** @throws GatewayError `conflict` naming a saved config that runs the guardrail */
export async function refuseWhileConfigured(operation: Operation, guardrail: StoredRecord): Promise<void> {
  const use = await operation.db('guardrail_uses').where('guardrail_id', guardrail.id).first('config_id');
  if (use === undefined) return;
  const scope = { organisationId: guardrail.organisation_id };
  const config = await operation.records('configs').find(scope, String(use.config_id));
  throw new GatewayError(
    'conflict',
    `The guardrail is named in the config ${config?.slug ?? use.config_id}: take it out there first.`,
  );
}

export async function forgetUses(
  { db }: Operation,
  of: { readonly config_id: string } | { readonly guardrail_id: string },
): Promise<void> {
  await db('guardrail_uses').where(of).delete();
}

/** An archived config serves nobody, so it keeps nothing from being removed. */
async function keepUses(operation: Operation, config: StoredRecord): Promise<void> {
  await forgetUses(operation, { config_id: config.id });
  if (config.status === 'archived') return;
  const ids = new Set<string>();
  for (const { path, name } of namedIn(asObject(config.config) ?? {})) {
    ids.add(await idOf(operation, config, name, path));
  }
  const rows = [...ids].map((guardrail_id) => ({
    config_id: config.id,
    guardrail_id,
    organisation_id: config.organisation_id,
  }));
  if (rows.length > 0) await operation.db('guardrail_uses').insert(rows);
}

async function idOf(operation: Operation, config: StoredRecord, name: string, path: string): Promise<string> {
  const guardrails = operation.records<GuardrailRecord>('guardrails');
  const place = { organisationId: config.organisation_id, workspaceId: config.workspace_id ?? '' };
  const found = await guardrailInReach(guardrails, place, name);
  if (found !== undefined) return found.id;
  throw new GatewayError(
    'bad_request',
    `${path} names no guardrail of the workspace or its organisation: "${name.slice(0, 100)}".`,
    { param: path },
  );
}

/** Every guardrail that a config names, at any depth, with its place: `config.targets[0].input_guardrails[1]`. */
function namedIn(config: JsonObject): readonly { readonly path: string; readonly name: string }[] {
  return configNodes(config).flatMap(({ path, node }) =>
    hookFields.flatMap((field) =>
      asArray(node[field]).flatMap((entry, index) =>
        typeof entry === 'string' ? [{ path: `${path}.${field}[${index}]`, name: entry }] : [],
      ),
    ),
  );
}
