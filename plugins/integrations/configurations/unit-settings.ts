import { asObject, type Json, type JsonObject, type SecretMapping } from 'portcullis/sdk';
import type { KnownProvider } from '../catalogue/known-provider.ts';
import type { StoredMapping } from '../records.ts';

/** The settings of the provider unit, by its own names: those that it takes, when it is installed. */
export function unitSettings(provider: KnownProvider, key: string | undefined, kept: JsonObject): JsonObject {
  const settings: Record<string, Json> = key === undefined ? {} : { api_key: key };
  for (const field of provider.fields.values()) {
    const value = kept[field.name];
    if (field.common === true || value === undefined) continue;
    settings[field.setting ?? field.name] = field.toSetting === undefined ? value : field.toSetting(value);
  }
  const taken = provider.unit?.settings;
  if (taken === undefined) return settings;
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => taken.some((setting) => setting.name === name)),
  ) as JsonObject;
}

/** Where a mapped field goes: `key` is the unit's `api_key`. */
export function mappedSetting(provider: KnownProvider, mapping: StoredMapping, referenceSlug: string): SecretMapping {
  const field = mapping.target_field.replace(/^configurations\./, '');
  return {
    setting: field === 'key' ? 'api_key' : (provider.fields.get(field)?.setting ?? field),
    referenceId: mapping.secret_reference_id,
    referenceSlug,
    ...(mapping.secret_key === null ? {} : { key: mapping.secret_key }),
    format: mapping.value_format,
  };
}

/** Headers of an integration or a model, as they were checked when they were saved. */
export function headersIn(value: unknown): Readonly<Record<string, string>> | undefined {
  const headers = asObject(value);
  return headers === undefined ? undefined : (headers as Readonly<Record<string, string>>);
}
