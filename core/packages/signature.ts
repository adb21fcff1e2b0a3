import { createHash } from 'node:crypto';
import { CompactSign, compactVerify, decodeProtectedHeader } from 'jose';
import { asObject, asString, GatewayError, parseJson, schema } from 'portcullis/sdk';
import { lateValidator, validatorOf } from '../config/validator.ts';
import { type PackageFiles, signatureName } from './package-files.ts';
import { algorithm, imported, type KeyRing, keyRingOf, type PrivateKey } from './signing-keys.ts';

/** What keeps the signatures of other things from counting here. */
const type = 'portcullis-plugin';

interface Signed {
  readonly name: string;
  readonly version: string;
  /** SHA-256 in hexadecimal digits by relative path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What a signature says of files. */
export interface SignatureReport {
  /** Thumbprint of the key; undefined: there is no signature that counts. */
  readonly signedBy: string | undefined;
  /** Why the signature does not count, as a sentence's end. */
  readonly refusal: string | undefined;
  readonly altered: readonly string[];
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

const fits = lateValidator(() =>
  validatorOf(
    schema.Object(
      {
        name: schema.String(),
        version: schema.String(),
        files: schema.Record(schema.String(), schema.String({ pattern: '^[0-9a-f]{64}$' })),
      },
      { additionalProperties: false },
    ),
  ),
);

/**
 * A compact JWS over name, version and the hash of every file but the signature's own.
 * @throws GatewayError `invalid_config` for a private key whose halves do not belong together
 */
export async function signatureOf(
  { name, version }: Pick<Signed, 'name' | 'version'>,
  files: PackageFiles,
  key: PrivateKey,
): Promise<string> {
  const { kid, kty, crv, x, d } = key;
  const payload: Signed = { name, version, files: Object.fromEntries(hashesOf(files)) };
  const signed = await new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: algorithm, typ: type, kid })
    .sign(await imported({ kty, crv, x, d }, 'The private key'));
  const { refusal } = await verified(signed, await keyRingOf([{ kty, crv, x }], 'key'));
  if (refusal === undefined) return signed;
  throw new GatewayError('invalid_config', 'The halves x and d of the private key do not belong together.');
}

/** Holds the files against the signature among them. */
export async function verifyFiles(files: PackageFiles, keys: KeyRing): Promise<SignatureReport> {
  const none = { signedBy: undefined, altered: [], missing: [], added: [] };
  const signature = files.get(signatureName);
  if (signature === undefined) return { ...none, refusal: 'is missing' };
  const { kid, refusal, signed } = await verified(new TextDecoder().decode(signature).trim(), keys);
  if (signed === undefined) return { ...none, refusal };
  const report = against(files, signed);
  return { signedBy: report.refusal === undefined ? kid : undefined, ...report };
}

/** Whether the signature among them is for these very files, whoever has made it; true where there is none. */
export function signatureFits(files: PackageFiles): boolean {
  const signature = files.get(signatureName);
  if (signature === undefined) return true;
  const signed = payloadOf(new TextDecoder().decode(signature));
  if (signed === undefined) return false;
  const { refusal, altered, missing, added } = against(files, signed);
  return refusal === undefined && altered.length + missing.length + added.length === 0;
}

function payloadOf(jws: string): Signed | undefined {
  const payload = parseJson(Buffer.from(jws.trim().split('.')[1] ?? '', 'base64url').toString('utf8'));
  return fits(payload) ? (payload as unknown as Signed) : undefined;
}

/** Files beside what a signature says of them. */
function against(files: PackageFiles, signed: Signed): Omit<SignatureReport, 'signedBy'> {
  const manifest = asObject(parseJson(new TextDecoder().decode(files.get('plugin.json'))));
  const actual = hashesOf(files);
  const expected = new Map(Object.entries(signed.files));
  const altered = [...actual].filter(([path, hash]) => (expected.get(path) ?? hash) !== hash).map(([path]) => path);
  const missing = [...expected.keys()].filter((path) => !actual.has(path));
  const added = [...actual.keys()].filter((path) => !expected.has(path));
  const sameUnit = manifest?.name === signed.name && manifest.version === signed.version;
  // An altered manifest is told as such.
  const isOther = !sameUnit && altered.length + missing.length + added.length === 0;
  return { refusal: isOther ? `is for ${signed.name} ${signed.version}` : undefined, altered, missing, added };
}

/** What is wrong, a sentence for each file. @param place how a file is named */
export function signatureFaults(
  { refusal, altered, missing, added }: SignatureReport,
  place: (path: string) => string,
): readonly string[] {
  return [
    ...(refusal === undefined ? [] : [`${place(signatureName)} ${refusal}.`]),
    ...altered.map((path) => `${place(path)} was altered after it was signed.`),
    ...missing.map((path) => `${place(path)} is missing, and the signature names it.`),
    ...added.map((path) => `${place(path)} was added after the plugin was signed.`),
  ];
}

interface Verified {
  readonly kid?: string;
  readonly signed?: Signed;
  readonly refusal?: string;
}

async function verified(jws: string, keys: KeyRing): Promise<Verified> {
  const header = headerOf(jws);
  if (header === undefined) return { refusal: 'is no signature' };
  if (header.alg !== algorithm || header.typ !== type)
    return { refusal: `must be of alg ${algorithm} and typ ${type}` };
  const given = asString(header.kid);
  // Anything else would be repeated in messages as somebody wrote it.
  const kid = given !== undefined && /^[A-Za-z0-9_-]{43}$/.test(given) ? given : undefined;
  const key = keys.get(kid ?? '');
  if (kid === undefined || key === undefined)
    return {
      refusal: `is by ${kid === undefined ? 'a key without a thumbprint' : `the key ${kid}`}, which is not among those that are accepted`,
    };
  try {
    const { payload } = await compactVerify(jws, key, { algorithms: [algorithm] });
    const signed = parseJson(new TextDecoder().decode(payload));
    return fits(signed)
      ? { kid, signed: signed as unknown as Signed }
      : { refusal: 'does not say which files it is for' };
  } catch {
    return { refusal: `was not made by the key ${kid}` };
  }
}

function headerOf(jws: string) {
  try {
    return decodeProtectedHeader(jws);
  } catch {
    return undefined;
  }
}

function hashesOf(files: PackageFiles): ReadonlyMap<string, string> {
  return new Map(
    [...files]
      .filter(([path]) => path !== signatureName)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')]),
  );
}
