import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import {
  type DirectoryKind,
  type DirectoryKinds,
  type FetchReply,
  GatewayError,
  type Host,
  type JsonObject,
  type OrganisationEntry,
  type Principal,
  type UnidentifiedRequest,
  type WorkspaceEntry,
} from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import jwt from '../../../plugins/jwt/index.ts';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: JsonObject;
}

export async function signingKey(kid: string, modulusLength = 2048): Promise<SigningKey> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } as unknown as JsonObject;
  return { kid, privateKey, publicKey, jwk };
}

/** The clock of the test host stands at 2026-01-01T00:00:00Z. */
export const nowSeconds = 1_767_225_600;

export const ids = {
  organisation: '11111111-1111-4111-8111-111111111111',
  other: '22222222-2222-4222-8222-222222222222',
  workspace: '33333333-3333-4333-8333-333333333333',
} as const;

export const claims = {
  portkey_oid: ids.organisation,
  portkey_workspace: 'ws-main-000001',
  scope: 'completions.write',
  sub: 'ann',
  exp: nowSeconds + 60,
} as const;

/** A token with the usual header, and whatever claims. */
export function sign(key: SigningKey, payload: JsonObject = claims, header: JsonObject = {}): Promise<string> {
  return new SignJWT(payload as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header })
    .sign(key.privateKey);
}

/** A token out of any two texts, with any signature. */
export function pack(header: string, payload: string, signature = 'c2lnbmF0dXJl'): string {
  return `${[header, payload].map((part) => Buffer.from(part).toString('base64url')).join('.')}.${signature}`;
}

export function organisationEntry(given: Partial<OrganisationEntry> = {}): OrganisationEntry {
  return Object.freeze({
    id: ids.organisation,
    organisationId: ids.organisation,
    slug: 'acme',
    name: 'Acme',
    security: {},
    blockInlineConfig: false,
    defaults: {},
    defaultWorkspaceId: ids.workspace,
    ...given,
  });
}

export function workspaceEntry(given: Partial<WorkspaceEntry> = {}): WorkspaceEntry {
  return Object.freeze({
    id: ids.workspace,
    organisationId: ids.organisation,
    slug: 'ws-main-000001',
    name: 'Main',
    status: 'active' as const,
    security: {},
    blockInlineConfig: false,
    defaults: {},
    ...given,
  });
}

interface Setting {
  readonly organisation?: OrganisationEntry | undefined;
  readonly workspace?: WorkspaceEntry | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly fetch?: (url: URL) => FetchReply | Promise<FetchReply>;
}

/** The plugin in a gateway whose directory holds one organisation with one workspace. */
export async function gatewayOf({ organisation, workspace = workspaceEntry(), env = {}, fetch }: Setting) {
  const base = createTestHost({
    name: 'jwt',
    env: { JWT_ENABLED: 'ON', ...env },
    ...(fetch === undefined ? {} : { fetch }),
  });
  const held = { organisation, workspace };
  const host: Host = {
    ...base,
    controlled: true,
    checksum: () => undefined,
    directory: <K extends DirectoryKind>(kind: K, ...path: readonly string[]) => {
      const [id, name] = path;
      const found = () => {
        if (id !== held.organisation?.id) return undefined;
        if (kind === 'organisation') return held.organisation;
        const { workspace: one } = held;
        return kind === 'workspace' && (name === one?.id || name === one?.slug) ? one : undefined;
      };
      return found() as DirectoryKinds[K] | undefined;
    },
  };
  const hooks = await jwt.setup({}, host);
  const identify = async (headers: Readonly<Record<string, string>>): Promise<Principal | undefined> =>
    hooks.identify?.({ headers, control: (name: string) => headers[`x-gw-${name}`] } as UnidentifiedRequest);
  return {
    host: base,
    held,
    identify,
    /** The caller that a token makes. */
    caller: async (token: string): Promise<Principal> => {
      const principal = await identify({ 'x-gw-api-key': token });
      if (principal === undefined) throw new TypeError('the token was left to the next plugin');
      return principal;
    },
    /** Status and sentence of the refusal. */
    refusal: async (token: string): Promise<string> => {
      try {
        await identify({ 'x-gw-api-key': token });
      } catch (error) {
        if (GatewayError.is(error)) return `${error.status} ${error.message}`;
        throw error;
      }
      return 'accepted';
    },
  };
}

export function jsonReply(value: unknown, status = 200): FetchReply {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}
