import { Resolver } from 'node:dns/promises';
import { asObject, asObjects, GatewayError, type JsonObject, type StoredRecord } from 'portcullis/sdk';

const timeoutMs = 1000;

/** The texts of a name's TXT records. */
export type LookupTexts = (name: string) => Promise<readonly string[]>;

/** Where the token of a domain is to be published, and how it reads there. */
export function verificationRecord({ domain, token }: JsonObject): JsonObject {
  return { type: 'TXT', name: `_portcullis.${domain}`, value: `portcullis-verification=${token}` };
}

export const lookupTexts: LookupTexts = async (name) => {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  // What answers slowly, again and again, must not hold the request for longer either.
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
};

/** The domain as the organisation lists it. @throws GatewayError `not_found` */
export function listedDomain(organisation: StoredRecord, domain: string): JsonObject {
  const wanted = domain.toLowerCase();
  const entry = domainsOf(organisation).find((listed) => listed.domain === wanted);
  if (entry !== undefined) return entry;
  throw new GatewayError('not_found', `The organisation lists no domain "${wanted.slice(0, 100)}".`, {
    param: 'domain',
  });
}

/** @throws GatewayError `bad_request` unless the domain's TXT record holds the token */
export async function demandProof(entry: JsonObject, lookup: LookupTexts): Promise<void> {
  const { name, value } = verificationRecord(entry);
  const texts = await lookup(String(name));
  if (texts.some((text) => text.trim() === value)) return;
  throw new GatewayError(
    'bad_request',
    `${name} has no TXT record "${value}" (yet): publish it, wait until it is known, and try again.`,
    { param: 'domain' },
  );
}

/** The settings with the domain marked as proven. */
export function withProven(organisation: StoredRecord, domain: string): JsonObject {
  return {
    ...asObject(organisation.auth_settings),
    domains: domainsOf(organisation).map((entry) => (entry.domain === domain ? { ...entry, verified: true } : entry)),
  };
}

function domainsOf(organisation: StoredRecord): readonly JsonObject[] {
  return asObjects(asObject(organisation.auth_settings)?.domains);
}
