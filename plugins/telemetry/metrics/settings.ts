import { refused, type Variables } from '../variables.ts';

export interface MetricSettings {
  readonly model: boolean;
  readonly configName: boolean;
  readonly apiKeyName: boolean;
  /** Keys of the metadata that are labels. */
  readonly metadataKeys: readonly string[];
  /** Seconds. */
  readonly durationBuckets: readonly number[];
  /** Seconds. */
  readonly stageBuckets: readonly number[];
}

const durationBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];
const stageBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 60];
const mostKeys = 10;
const keysVariable = 'PROMETHEUS_LABELS_METADATA_ALLOWED_KEYS';

/** @throws GatewayError `invalid_config` naming the variable at fault */
export function metricSettingsOf(variables: Variables): MetricSettings {
  return {
    model: variables.flag('PROMETHEUS_INCLUDE_MODEL_LABEL') ?? true,
    configName: variables.flag('PROMETHEUS_INCLUDE_CONFIG_NAME_LABEL') ?? false,
    apiKeyName: variables.flag('PROMETHEUS_INCLUDE_API_KEY_NAME_LABEL') ?? false,
    metadataKeys: variables.flag('PROMETHEUS_INCLUDE_METADATA_LABELS') === true ? metadataKeysOf(variables) : [],
    durationBuckets: variables.buckets('PROMETHEUS_HTTP_DURATION_BUCKETS') ?? durationBuckets,
    stageBuckets: variables.buckets('PROMETHEUS_HISTOGRAM_BUCKETS') ?? stageBuckets,
  };
}

function metadataKeysOf(variables: Variables): readonly string[] {
  const keys = variables.words(keysVariable);
  const labels = new Set(keys.map(metadataLabel));
  if (keys.length > mostKeys || labels.size < keys.length)
    throw refused(
      keysVariable,
      `at most ${mostKeys} keys of the metadata with commas, of different letters and digits`,
    );
  return keys;
}

/** `metadata_<key>`, with what a label may not hold as `_`. */
export function metadataLabel(key: string): string {
  return `metadata_${key.replace(/[^a-zA-Z0-9]/g, '_')}`.slice(0, 100);
}
