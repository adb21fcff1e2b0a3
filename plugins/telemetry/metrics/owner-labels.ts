import type { RequestRecord } from 'portcullis/sdk';
import { FewValues } from './few-values.ts';
import { type MetricSettings, metadataLabel } from './settings.ts';

/** Labels that the operator has asked for, behind those that are always there. */
export interface OwnerLabels {
  readonly names: readonly string[];
  /** Their values, in the order of the names. */
  values(record: RequestRecord): readonly string[];
}

const none: readonly string[] = [];

export function ownerLabels(settings: MetricSettings): OwnerLabels {
  const rows: readonly (readonly [string, (record: RequestRecord) => string | undefined])[] = [
    ...(settings.configName ? [['config_name', (record: RequestRecord) => record.configSlug] as const] : []),
    ...(settings.apiKeyName
      ? [['api_key_name', ({ principalName, principal }: RequestRecord) => principalName ?? principal] as const]
      : []),
    ...settings.metadataKeys.map(
      (key) => [metadataLabel(key), ({ metadata }: RequestRecord) => metadata[key]] as const,
    ),
  ];
  const few = rows.map(() => new FewValues());
  return {
    names: rows.map(([name]) => name),
    values: (record) =>
      rows.length === 0
        ? none
        : rows.map(([, read], index) => few[index]?.of(read(record), record.status < 400) ?? 'other'),
  };
}
