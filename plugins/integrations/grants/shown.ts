import type { JsonObject } from 'portcullis/sdk';
import type { IntegrationRecord } from '../records.ts';

/** What every workspace gets, as replies show it. */
export function shownGlobalAccess(record: IntegrationRecord): JsonObject {
  const access = record.global_workspace_access_settings;
  return {
    enabled: access?.enabled ?? false,
    usage_limits: access?.usage_limits ?? [],
    rate_limits: access?.rate_limits ?? [],
  };
}
