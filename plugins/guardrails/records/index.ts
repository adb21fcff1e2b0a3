import type { Control, ControlHost, Operation, StoredRecord } from 'portcullis/sdk';
import { configReactions, forgetUses } from './config-uses.ts';
import { checkCredentials } from './credentials/resource.ts';
import { loaders } from './loaders.ts';
import { guardrails } from './resource.ts';

/** What people save of guardrails: the guardrails themselves, and credentials for those who run them. */
export function guardrailControl(host: ControlHost): Control {
  return {
    resources: [guardrails(host), checkCredentials(host)],
    reactions: { ...configReactions, 'guardrails.removed': forget },
    loaders,
  };
}

/** An archived guardrail serves nobody, so its credentials need not lie about. */
async function forget(operation: Operation, { id }: StoredRecord): Promise<void> {
  await operation.db('guardrails').where({ id }).update({ sealed: null });
  await forgetUses(operation, { guardrail_id: id });
}
