import type { Json } from 'portcullis/sdk';

/** One member of `configurations`. */
export interface ConfigurationField {
  readonly name: string;
  readonly kind: 'text' | 'flag' | 'url' | 'headers' | 'json' | 'deployments';
  /** Must be there, unless a secret manager gives it. */
  readonly required?: boolean;
  /** Kept encrypted, shown as `masked_<name>`. */
  readonly secret?: boolean;
  /** The only values there are. */
  readonly values?: readonly string[];
  /** Characters of a text. Default 8192. */
  readonly max?: number;
  /** The provider's own setting; default: the same name. */
  readonly setting?: string;
  /** The setting's value where it differs. */
  readonly toSetting?: (value: Json) => Json;
  /** Of every provider: it is no setting of the unit, so no secret manager gives it either. */
  readonly common?: boolean;
}

/** What every provider takes. */
export const commonFields: readonly ConfigurationField[] = [
  { name: 'custom_host', kind: 'url', common: true },
  { name: 'custom_headers', kind: 'headers', secret: true, common: true },
  { name: 'anthropic_inspect_stream_for_overloaded_error', kind: 'flag', common: true },
];
