import { asNumber, type Json, type JsonObject, type Operation } from 'portcullis/sdk';
import type { ConfigRecord } from './table.ts';

/** Whether the body asks for the workspace's default; some clients write `isDefault`. */
export function wantsDefault(body: JsonObject): 0 | 1 | undefined {
  const given: Json | undefined = body.is_default ?? body.isDefault;
  return given == null ? undefined : asNumber(given) === 1 ? 1 : 0;
}

/** What is stored of a default: the flag, and the workspace that it is unique in. */
export function defaultValues(isDefault: 0 | 1, workspaceId: string | null | undefined) {
  return { is_default: isDefault, default_of: isDefault === 1 ? (workspaceId ?? null) : null };
}

/** A workspace has one default at most: making another one ends this. */
export async function endOtherDefaults(operation: Operation, except: string | undefined): Promise<void> {
  const configs = operation.records<ConfigRecord>('configs');
  const { records } = await configs.list(operation.scope, { where: { is_default: 1 } });
  for (const { id } of records) {
    if (id !== except) await configs.update(operation.scope, id, defaultValues(0, undefined));
  }
}
