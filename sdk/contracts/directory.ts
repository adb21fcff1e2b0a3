import type { JsonObject } from '../json.ts';
import type { KeyType, OrganisationRole, WorkspaceRole } from './access.ts';
import type { MaybePromise } from './plugin.ts';
import type { LimitPoliciesEntry, PricesEntry } from './policies.ts';
import type { PromptEntry, PromptFault, PromptPartialEntry } from './prompts.ts';

/** Which roles may do what, by the names of the security toggles (`membersViewLogs`); those left out have their default. */
export type SecurityToggles = Readonly<Record<string, boolean>>;

/** A limit as the API takes and gives it; enforced by limit plugins. */
export type LimitSpec = JsonObject;

export interface OwnedEntry {
  /** Who may see it, and whose changes make it stale. */
  readonly organisationId: string;
}

/** A person's place in an organisation. */
export interface MemberEntry extends OwnedEntry {
  readonly userId: string;
  readonly email: string;
  readonly role: OrganisationRole;
  /** Toggles of the organisation. */
  readonly security: SecurityToggles;
  readonly workspaces: readonly {
    readonly id: string;
    readonly slug: string;
    readonly role: WorkspaceRole;
    /** Toggles in force there. */
    readonly security: SecurityToggles;
  }[];
}

/** A live API key: unknown, revoked and foreign ones have no entry. */
export interface KeyEntry extends OwnedEntry {
  readonly id: string;
  readonly name: string;
  readonly type: KeyType;
  readonly workspaceId?: string;
  readonly userId?: string;
  /** Of a service's key: the role that it acts with towards people, when its maker was no admin of the workspace. */
  readonly rank?: WorkspaceRole;
  /** As granted; what it may do now is less when the person or the toggles allow less. */
  readonly scopes: readonly string[];
  readonly status: 'active' | 'exhausted' | 'expired';
  /** Epoch milliseconds. */
  readonly expiresAt?: number;
  /** Id or slug of a saved config. */
  readonly config?: string;
  readonly allowConfigOverride: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly guardrails?: DefaultGuardrails;
  readonly usageLimits?: LimitSpec;
  readonly rateLimits?: readonly LimitSpec[];
  /** For user keys: the live place of their owner. Absent when the owner is gone: the key is then refused. */
  readonly member?: MemberEntry;
}

export interface SessionEntry extends OwnedEntry {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly expiresAt: number;
  readonly member: MemberEntry;
}

export interface OrganisationEntry extends OwnedEntry {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly security: SecurityToggles;
  /** Whether requests may name only what is saved. */
  readonly blockInlineConfig: boolean;
  /** Seconds; absent: sessions live as long as they were issued for. */
  readonly maxSessionTtl?: number;
  readonly defaults: { readonly config?: string; readonly metadata?: Readonly<Record<string, string>> };
  readonly guardrails?: DefaultGuardrails;
  /** Where the signing keys of its tokens stand: a URL, or the set itself. */
  readonly jwksUrl?: string;
  readonly jwks?: JsonObject;
  /** Id of the workspace that tokens without one belong to. */
  readonly defaultWorkspaceId?: string;
  /** JSON Schema (draft-07) of request and key metadata. */
  readonly metadataSchema?: JsonObject;
  /** Whether logs keep what was said, or numbers alone. Absent: `full`. */
  readonly requestLogging?: 'full' | 'metrics';
  /** The most that a cache rule may ask for. */
  readonly maxCacheAgeSeconds?: number;
}

export interface WorkspaceEntry extends OwnedEntry {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'archived';
  readonly security: SecurityToggles;
  readonly blockInlineConfig: boolean;
  readonly defaults: { readonly config?: string; readonly metadata?: Readonly<Record<string, string>> };
  readonly guardrails?: DefaultGuardrails;
  readonly usageLimits?: LimitSpec;
  readonly rateLimits?: readonly LimitSpec[];
  /** Absent: as the organisation has it. */
  readonly requestLogging?: 'full' | 'metrics';
}

export interface ConfigEntry extends OwnedEntry {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly versionId: string;
  readonly config: JsonObject;
}

/** Guardrails that run on every request of an organisation, a workspace or a key: ids or slugs of saved ones. */
export interface DefaultGuardrails {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
}

/** A saved guardrail; archived ones have no entry. */
export interface GuardrailEntry extends OwnedEntry {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** Absent: it belongs to the whole organisation. */
  readonly workspaceId?: string;
  readonly versionId: string;
  /** As the API takes them: `{ id, parameters, is_enabled, name }`. */
  readonly checks: readonly JsonObject[];
  /** As the API takes them, normalised: `{ deny, async, sequential, on_success, on_fail, ... }`. */
  readonly actions: JsonObject;
}

/** What an organisation has stored for the vendor of a guardrail unit. */
export interface CheckCredentialsEntry extends OwnedEntry {
  readonly unit: string;
  /** In clear, by the names of the unit's schema. */
  readonly credentials: JsonObject;
}

/** One credential of a provider as a workspace sees it. */
export interface ProviderEntry extends OwnedEntry {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly integrationId: string;
  readonly integrationSlug: string;
  readonly status: 'active' | 'exhausted' | 'expired';
  /** Epoch milliseconds. */
  readonly expiresAt?: number;
  /** `name` or `name@major` of the provider unit. */
  readonly provider: string;
  readonly customHost?: string;
  /** The unit's own settings by their snake_case names, credentials in clear. */
  readonly settings: JsonObject;
  readonly customHeaders?: Readonly<Record<string, string>>;
  /** Settings that a secret manager holds: resolved before each use, through the plugin that serves secret references. */
  readonly secrets?: readonly SecretMapping[];
  readonly allowAllModels: boolean;
  readonly models: readonly IntegratedModel[];
  readonly usageLimits?: LimitSpec;
  readonly rateLimits?: readonly LimitSpec[];
  /** Of the integration's access grant to the workspace. */
  readonly grantUsageLimits?: LimitSpec;
  readonly grantRateLimits?: readonly LimitSpec[];
  readonly pricingMultiplier?: JsonObject;
}

export interface IntegratedModel {
  /** As the provider names it. */
  readonly slug: string;
  readonly enabled: boolean;
  /** The model that its price and features are those of. */
  readonly base?: string;
  readonly customHost?: string;
  readonly customHeaders?: Readonly<Record<string, string>>;
  readonly pricing?: JsonObject;
}

export interface SecretMapping {
  /** A setting of the unit: `api_key`, `aws_role_arn`. */
  readonly setting: string;
  readonly referenceId: string;
  readonly referenceSlug: string;
  /** The member of a JSON secret. */
  readonly key?: string;
  readonly format: 'string' | 'json';
}

/** Where a secret stands, with what is needed to read it there. */
export interface SecretReferenceEntry extends OwnedEntry {
  readonly id: string;
  readonly slug: string;
  readonly manager: string;
  readonly auth: JsonObject;
  readonly path: string;
  readonly key?: string;
}

/** The providers of a workspace with their models. */
export interface WorkspaceModels extends OwnedEntry {
  readonly models: readonly {
    readonly id: string;
    readonly slug: string;
    readonly provider: string;
    readonly unit: string;
    readonly createdAt: number;
  }[];
}

/** What the data plane looks up, by kind: the value, and behind `path` what names it. All values are plain JSON. */
export interface DirectoryKinds {
  /** path: SHA-256 of the key, 64 hex digits. */
  readonly key: KeyEntry;
  /** path: SHA-256 of the session's token, 64 hex digits. */
  readonly session: SessionEntry;
  /** path: organisation id. */
  readonly organisation: OrganisationEntry;
  /** path: organisation id, user id. Absent when the person has left. */
  readonly member: MemberEntry;
  /** path: organisation id, workspace id or slug. */
  readonly workspace: WorkspaceEntry;
  /** path: organisation id, workspace id, config id or slug. */
  readonly config: ConfigEntry;
  /** path: organisation id, workspace id, provider id or slug. */
  readonly provider: ProviderEntry;
  /** path: organisation id, workspace id. */
  readonly models: WorkspaceModels;
  /** path: organisation id, workspace id ('' for those of the organisation alone), guardrail id or slug. */
  readonly guardrail: GuardrailEntry;
  /** path: organisation id, name of the guardrail unit. */
  readonly checkCredentials: CheckCredentialsEntry;
  /** path: organisation id, reference id. */
  readonly secretReference: SecretReferenceEntry;
  /**
   * path: organisation id, id of the caller's workspace, prompt id or slug, which version: '' for the Published one,
   * `latest`, a number, or the name of a label. Unknown and foreign prompts have no entry.
   */
  readonly prompt: PromptEntry | PromptFault;
  /** path: as that of a prompt, without labels. Whatever cannot be included has no entry. */
  readonly promptPartial: PromptPartialEntry;
  /** path: organisation id. */
  readonly limitPolicies: LimitPoliciesEntry;
  /** path: organisation id. */
  readonly prices: PricesEntry;
}

export type DirectoryKind = keyof DirectoryKinds;

export const directoryKinds = [
  'key',
  'session',
  'organisation',
  'member',
  'workspace',
  'config',
  'provider',
  'models',
  'guardrail',
  'checkCredentials',
  'secretReference',
  'prompt',
  'promptPartial',
  'limitPolicies',
  'prices',
] as const satisfies readonly DirectoryKind[];

/**
 * The records that requests need, in memory: known ones are given at once, as the same frozen object until they change;
 * unknown ones are loaded once, misses are remembered; while the store is away the last good copy serves.
 */
export interface Directory {
  /** @throws GatewayError `not_ready` when it was never loaded and the store is away */
  get<K extends DirectoryKind>(kind: K, ...path: readonly string[]): MaybePromise<DirectoryKinds[K] | undefined>;
}
