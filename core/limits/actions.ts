import { type Action, asArray, schema } from 'portcullis/sdk';
import { type CounterSource, mostUsed } from './counter-source.ts';
import { batchOf, counterPaths, countsBody, doneBody, keyOf, mostCounts, usedBody } from './wire.ts';

// Each call is one transaction of the source's own, or none.
const common = { needs: 'service', hidden: true, audited: false, transaction: false } as const;
const most = 1_000;

const key = {
  organisation_id: schema.String({ minLength: 1, maxLength: 36 }),
  name: schema.String({ minLength: 1, maxLength: 500 }),
  start: schema.Integer({ minimum: 0, maximum: mostUsed }),
};
const used = schema.Integer({ minimum: 0, maximum: mostUsed });
const whole = (length: number) => schema.String({ pattern: `^[0-9]{1,${length}}$` });

/** The routes through which gateways without a store of their own keep their durable counts. */
export function counterActions(source: CounterSource): readonly Action[] {
  return [
    {
      ...common,
      method: 'post',
      path: counterPaths.load,
      summary: 'What has been used, of some counts.',
      body: schema.Object({ counts: schema.Array(schema.Object(key), { minItems: 1, maxItems: mostCounts }) }),
      run: async ({ body }) => usedBody(await source.load(asArray(body.counts).map(keyOf))),
    },
    {
      ...common,
      method: 'post',
      path: counterPaths.add,
      summary: 'Adds what a gateway has counted, once.',
      body: schema.Object({
        writer: schema.String({ minLength: 1, maxLength: 36 }),
        number: schema.Integer({ minimum: 1, maximum: mostUsed }),
        deltas: schema.Array(schema.Object({ ...key, amount: used }), { minItems: 1, maxItems: mostCounts }),
      }),
      run: async ({ body }) => {
        await source.add(batchOf(body));
        return doneBody();
      },
    },
    {
      ...common,
      method: 'post',
      path: counterPaths.set,
      summary: 'Sets what has been used of one count.',
      body: schema.Object({ ...key, used }),
      run: async ({ body }) => {
        await source.set(keyOf(body), Number(body.used));
        return doneBody();
      },
    },
    {
      ...common,
      method: 'get',
      path: counterPaths.list,
      summary: 'Counts of an organisation.',
      query: schema.Object({
        organisation_id: key.organisation_id,
        prefix: schema.Optional(schema.String({ maxLength: 500 })),
        start: schema.Optional(whole(16)),
        limit: whole(4),
        offset: whole(9),
      }),
      run: async ({ query }) => {
        const { organisation_id: organisationId = '', prefix = '', start, limit, offset } = query;
        const from = start === undefined ? undefined : Number(start);
        const found = await source.list(organisationId, prefix, from, Math.min(most, Number(limit)), Number(offset));
        return countsBody(
          found.total,
          found.counts.map((count) => ({ ...count, organisationId })),
        );
      },
    },
    {
      ...common,
      method: 'get',
      path: counterPaths.changes,
      summary: 'Counts that have changed since a moment.',
      query: schema.Object({ at: whole(16), limit: whole(4) }),
      run: async ({ query }) => {
        const counts = await source.changedSince(Number(query.at), Math.min(most, Number(query.limit)));
        return countsBody(counts.length, counts);
      },
    },
  ];
}
