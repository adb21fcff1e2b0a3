import {
  asObject,
  type DefaultGuardrails,
  GatewayError,
  guardrailDefaults,
  guardrailsOf,
  type JsonObject,
  normaliseRateLimits,
  normaliseUsageLimits,
  type RateLimits,
  type UsageLimits,
} from 'portcullis/sdk';
import { refuse } from './refuse.ts';

/** What a verified token asks for, in our terms. */
export interface TokenWishes {
  /** Id or slug. */
  readonly workspace: string | undefined;
  /** Undefined: it says nothing of scopes. */
  readonly scopes: readonly string[] | undefined;
  readonly userId: string | undefined;
  readonly config: string | undefined;
  /** Ids or slugs. */
  readonly guardrails: DefaultGuardrails | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly usageLimits: UsageLimits | undefined;
  readonly rateLimits: readonly RateLimits[];
}

const mostText = 255;
const mostMetadata = 1024;
const mostGuardrails = 100;

/** Which organisation the token says that it is of. Undefined: none. */
export function organisationOf(claims: JsonObject): string | undefined {
  return textOf(claims, 'portkey_oid') ?? textOf(claims, 'organisation_id');
}

/** @throws GatewayError `unauthenticated` for claims of the wrong shape: what limits a caller must not be lost */
export function wishesOf(claims: JsonObject): TokenWishes {
  const defaults =
    claims.defaults === undefined ? {} : (asObject(claims.defaults) ?? malformed('defaults', 'an object'));
  const userId = textOf(claims, 'email_id') ?? textOf(claims, 'sub') ?? textOf(claims, 'uid');
  return {
    workspace: textOf(claims, 'portkey_workspace') ?? textOf(claims, 'workspace_slug'),
    scopes: scopesOf(claims)?.map((scope) => scope.replace(/^portkey\./, '')),
    userId,
    config: textOf(defaults, 'config_id', 'defaults.config_id'),
    guardrails: guardrailsIn(defaults),
    metadata: { ...(userId === undefined ? {} : { _user: userId }), ...metadataOf(defaults) },
    usageLimits: limits(() => normaliseUsageLimits(claims.usage_limits, 'usage_limits'))[0],
    rateLimits: limits(() => normaliseRateLimits(claims.rate_limits, 'rate_limits')),
  };
}

function textOf(claims: JsonObject, name: string, title = name): string | undefined {
  const value = claims[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && value.length <= mostText) return value;
  return malformed(title, `a text of at most ${mostText} characters`);
}

function scopesOf({ scope, scopes }: JsonObject): readonly string[] | undefined {
  if (scope !== undefined) return typeof scope === 'string' ? words(scope) : malformed('scope', 'a text with spaces');
  if (scopes === undefined) return undefined;
  const list = Array.isArray(scopes) ? scopes : malformed('scopes', 'a list of texts');
  return list.map((one) => (typeof one === 'string' ? one : malformed('scopes', 'a list of texts')));
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

function metadataOf({ metadata }: JsonObject): Readonly<Record<string, string>> {
  if (metadata === undefined) return {};
  const given = asObject(metadata) ?? malformed('defaults.metadata', 'an object of texts');
  for (const value of Object.values(given)) {
    if (typeof value !== 'string' || value.length > mostMetadata) malformed('defaults.metadata', 'an object of texts');
  }
  return given as Readonly<Record<string, string>>;
}

function guardrailsIn(defaults: JsonObject): DefaultGuardrails | undefined {
  for (const name of guardrailDefaults) {
    const list = defaults[name];
    if (list === undefined || list === null) continue;
    const fits = Array.isArray(list) && list.length <= mostGuardrails && list.every(isName);
    if (!fits) malformed(`defaults.${name}`, `a list of at most ${mostGuardrails} ids or slugs of guardrails`);
  }
  return guardrailsOf(defaults).guardrails;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= mostText;
}

function limits<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    return refuse(`has limits that cannot be read: ${error.message.replace(/\.$/, '')}`);
  }
}

function malformed(claim: string, accepted: string): never {
  return refuse(`has the claim ${claim}, which must be ${accepted}`);
}
