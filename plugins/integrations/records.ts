import type { Json, JsonObject, RateLimits, StoredRecord, UsageLimits } from 'portcullis/sdk';

/** A secret of a secret manager in place of a stored one; `target_field` is `key` or `configurations.<field>`. */
export type StoredMapping = {
  readonly target_field: string;
  /** Always the id. */
  readonly secret_reference_id: string;
  readonly secret_key: string | null;
  readonly value_format: 'string' | 'json';
};

/** What workspaces get that nobody has provisioned one by one, new ones above all. */
export type GlobalAccess = {
  readonly enabled: boolean;
  readonly usage_limits: readonly UsageLimits[];
  readonly rate_limits: readonly RateLimits[];
  readonly create_default_provider: boolean;
};

export interface IntegrationRecord extends StoredRecord {
  readonly name: string;
  readonly description?: string | null;
  /** As the caller named it: an alias stays one. */
  readonly ai_provider_id: string;
  /** Those that may be shown. */
  readonly clear_configurations?: JsonObject | null;
  readonly masked_key?: string | null;
  /** By the fields' own names. */
  readonly masked_configurations?: JsonObject | null;
  readonly secret_mappings?: readonly StoredMapping[] | null;
  readonly pricing_adjustments?: { readonly multiplier?: JsonObject | null } | null;
  readonly tags?: Readonly<Record<string, string>> | null;
  readonly allow_all_models?: number | boolean;
  readonly global_access: number | boolean;
  readonly global_workspace_access_settings?: GlobalAccess | null;
  /** Made for a virtual key, and seen through it alone. */
  readonly hidden: number | boolean;
}

/** The sealed part of an integration. */
export interface IntegrationSecrets {
  readonly key?: string | null;
  readonly secret_configurations?: JsonObject | null;
}

export interface ModelRecord extends StoredRecord {
  readonly integration_id: string;
  /** As the provider names it. */
  readonly model: string;
  readonly name?: string | null;
  readonly enabled: number | boolean;
  readonly is_custom?: number | boolean;
  readonly is_finetune?: number | boolean;
  readonly base_model_slug?: string | null;
  readonly custom_host?: string | null;
  readonly masked_custom_headers?: JsonObject | null;
  readonly pricing_config?: JsonObject | null;
}

export interface GrantRecord extends StoredRecord {
  readonly workspace_id: string;
  readonly integration_id: string;
  readonly enabled: number | boolean;
  readonly usage_limits?: readonly UsageLimits[] | null;
  readonly rate_limits?: readonly RateLimits[] | null;
  readonly last_reset_at?: number | null;
}

export interface ProviderRecord extends StoredRecord {
  readonly workspace_id: string;
  readonly name: string;
  readonly integration_id: string;
  readonly note?: string | null;
  readonly usage_limits?: readonly UsageLimits[] | null;
  readonly rate_limits?: readonly RateLimits[] | null;
  readonly expires_at?: number | null;
  readonly last_reset_at?: number | null;
  readonly tags?: Readonly<Record<string, string>> | null;
}

/** 0 and 1, false and true. */
export const isSet = (flag: unknown): boolean => flag === 1 || flag === true;

export const flag = (value: Json | undefined, otherwise: boolean): 0 | 1 =>
  value === undefined || value === null ? (otherwise ? 1 : 0) : isSet(value) ? 1 : 0;
