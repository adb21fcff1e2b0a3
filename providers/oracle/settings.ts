import { asString, type CallFacts, type JsonObject, schema, secret, setting } from 'portcullis/sdk';

// Parts of the signature's key id, which stands between quotes.
const identifier = '^[A-Za-z0-9._:-]{1,255}$';

export const settings = schema.Object({
  oraclePrivateKey: secret({
    env: 'OCI_PRIVATE_KEY',
    description: 'The API signing key in PEM form; line breaks may be written as \\n.',
  }),
  oracleKeyPassphrase: schema.Optional(secret({ env: 'OCI_KEY_PASSPHRASE' })),
  oracleTenancy: setting({ pattern: identifier, env: 'OCI_TENANCY', description: 'The OCID of the tenancy.' }),
  oracleUser: setting({ pattern: identifier, env: 'OCI_USER', description: 'The OCID of the user.' }),
  oracleFingerprint: setting({ pattern: '^[0-9A-Fa-f:]{1,128}$', env: 'OCI_FINGERPRINT' }),
  oracleRegion: setting({ pattern: '^[a-z0-9-]{1,40}$', env: 'OCI_REGION', description: 'Such as us-chicago-1.' }),
  oracleCompartmentId: schema.Optional(
    setting({ pattern: identifier, env: 'OCI_COMPARTMENT_ID', description: 'Default: the tenancy.' }),
  ),
  oracleServingMode: setting({
    pattern: '^(ON_DEMAND|DEDICATED)$',
    default: 'ON_DEMAND',
    description: 'DEDICATED: the model of a request is the OCID of an endpoint.',
  }),
  oracleApiVersion: setting({ pattern: '^[0-9]{8}$', default: '20231130' }),
});

/** Where a request is served, and for whom. */
export function placeOf({ settings: known, model }: Pick<CallFacts, 'settings' | 'model'>): JsonObject {
  const servingMode: JsonObject =
    known.oracleServingMode === 'DEDICATED'
      ? { servingType: 'DEDICATED', endpointId: model }
      : { servingType: 'ON_DEMAND', modelId: model };
  return { compartmentId: asString(known.oracleCompartmentId) ?? asString(known.oracleTenancy) ?? '', servingMode };
}
