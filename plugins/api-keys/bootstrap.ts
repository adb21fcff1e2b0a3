import { type Operation, scopesOfKeyType } from 'portcullis/sdk';
import { mint } from './mint.ts';
import type { SecretMaker } from './secrets.ts';

/** The first key of all: of the organisation, with every scope that such a key can have. */
export async function firstKey(operation: Operation, maker: SecretMaker): Promise<readonly string[]> {
  const type = 'organisation-service';
  const values = { name: 'Admin key', type, scopes: [...scopesOfKeyType(type)], creation_mode: 'auto' };
  const scope = { organisationId: operation.scope.organisationId };
  const { secret } = await mint(operation, maker, scope, values, { keep: false });
  return [`Admin API key of the organisation, shown this once: ${secret}`];
}
