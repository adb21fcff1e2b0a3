import { type JsonObject, schema } from 'portcullis/sdk';
import { type ClaimRule, matchTypes } from './jwt-claims.ts';

const algorithmNames = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'HS256',
  'HS384',
  'HS512',
] as const;

const names = (description: string) =>
  schema.Optional(
    schema.Array(schema.String({ minLength: 1, maxLength: 255 }), { maxItems: 50, uniqueItems: true, description }),
  );
const oneOrMore = (description: string) =>
  schema.Optional(
    schema.Unsafe<string | readonly string[]>({
      anyOf: [
        { type: 'string', minLength: 1, maxLength: 2048 },
        { type: 'array', items: { type: 'string', minLength: 1, maxLength: 2048 }, minItems: 1, maxItems: 50 },
      ],
      description,
    }),
  );

export const jwtParameters = schema.Object(
  {
    jwksUri: schema.Optional(schema.String({ maxLength: 2048, description: 'Where the key set (RFC 7517) is read.' })),
    jwks: schema.Optional(
      schema.Unsafe<JsonObject>({
        type: 'object',
        maxProperties: 20,
        'x-secret': true,
        description: 'The key set itself, in the place of jwksUri. Stored encrypted, for it may hold shared secrets.',
      }),
    ),
    headerKey: schema.String({
      default: 'Authorization',
      pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255}$",
      description: 'The header that holds the token, behind `Bearer ` or bare.',
    }),
    cacheMaxAge: schema.Integer({ default: 86_400, minimum: 1, maximum: 2_592_000, description: 'Seconds.' }),
    clockTolerance: schema.Integer({ default: 5, minimum: 0, maximum: 3600, description: 'Seconds.' }),
    maxTokenAge: schema.String({
      default: '1d',
      maxLength: 10,
      description: 'Since the token was issued (`iat`): 30s, 5m, 12h or 1d. A signed token without `iat` fails.',
    }),
    algorithms: schema.Array(schema.Enum([...algorithmNames]), {
      default: ['RS256'],
      minItems: 1,
      uniqueItems: true,
      description: 'How tokens may be signed. HS256, HS384 and HS512 only with jwks, never with jwksUri.',
    }),
    issuer: oneOrMore('`iss` must be one of these.'),
    audience: oneOrMore('`aud` must hold one of these.'),
    requiredClaims: names('Claims that must be there and not null.'),
    claimValues: schema.Optional(
      schema.Unsafe<Readonly<Record<string, { values: string | readonly string[]; matchType?: ClaimRule['match'] }>>>({
        type: 'object',
        maxProperties: 50,
        additionalProperties: {
          type: 'object',
          required: ['values'],
          properties: {
            values: {
              anyOf: [
                { type: 'string', maxLength: 1024 },
                { type: 'array', items: { type: 'string', maxLength: 1024 }, minItems: 1, maxItems: 100 },
              ],
            },
            matchType: { enum: [...matchTypes] },
          },
          additionalProperties: false,
        },
        description:
          'What claims must be. exact (default): one of the values. contains, containsAll: a list holds one or all of them as items, another text as parts; scope is a list. regex: one of the patterns is found.',
      }),
    ),
    headerPayloadMatch: names("Names that the token's own header and its claims must both hold, with the same value."),
    extractClaims: names('Claims that the verdict shows, as `data.claims`.'),
    claimPrefix: schema.String({
      default: 'x-jwt-',
      maxLength: 64,
      description: 'Stands before their names in `data.claims`.',
    }),
    introspectEndpoint: schema.Optional(
      schema.String({ maxLength: 2048, description: 'Asks this URL too (RFC 7662) whether the token is active.' }),
    ),
    introspectContentType: schema.Optional(
      schema.Enum(['application/x-www-form-urlencoded', 'application/json'], {
        description: 'Default: application/x-www-form-urlencoded, as the RFC says.',
      }),
    ),
    introspectCacheMaxAge: schema.Optional(
      schema.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'Seconds for which the answer "active" holds. Default 0: asks every time.',
      }),
    ),
  },
  { additionalProperties: false },
);
