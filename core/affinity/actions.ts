import { type Action, asArray, schema } from 'portcullis/sdk';
import { type AffinitySource, mostAtOnce } from './source.ts';
import { affinityPaths, changesOf, doneBody, rowsBody } from './wire.ts';

// Each call is one question or one write of the source's own.
const common = { needs: 'service', hidden: true, audited: false, transaction: false } as const;

const key = {
  id_hash: schema.String({ pattern: '^[0-9a-f]{64}$' }),
  scope: schema.String({ minLength: 1, maxLength: 36 }),
};
const seconds = schema.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The routes through which gateways without a store of their own keep their rows. */
export function affinityActions(source: AffinitySource): readonly Action[] {
  return [
    {
      ...common,
      method: 'post',
      path: affinityPaths.find,
      summary: 'Who made some objects.',
      body: schema.Object({ id_hashes: schema.Array(key.id_hash, { minItems: 1, maxItems: mostAtOnce }) }),
      run: async ({ body }) => rowsBody(await source.find(asArray(body.id_hashes).map(String))),
    },
    {
      ...common,
      method: 'post',
      path: affinityPaths.write,
      summary: 'Notes who made some objects, and forgets others.',
      body: schema.Object({
        rows: schema.Array(
          schema.Object({
            ...key,
            kind: schema.String({ minLength: 1, maxLength: 20 }),
            target: schema.String({ minLength: 1, maxLength: 64 }),
            provider: schema.String({ minLength: 1, maxLength: 100 }),
            provider_slug: schema.Optional(schema.String({ minLength: 1, maxLength: 255 })),
            created_at: seconds,
            expires_at: seconds,
          }),
          { maxItems: mostAtOnce },
        ),
        forgotten: schema.Array(schema.Object(key), { maxItems: mostAtOnce }),
      }),
      run: async ({ body }) => {
        await source.write(changesOf(body));
        return doneBody();
      },
    },
  ];
}
