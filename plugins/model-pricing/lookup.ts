import { type Action, field, RawReply, schema } from 'portcullis/sdk';
import type { Listing } from './listing.ts';
import { wirePrice } from './wire.ts';

const base = '/model-configs/pricing/:provider/:model';
const json = { 'content-type': 'application/json; charset=utf-8' };

/** `GET /model-configs/pricing/{provider}/{model}`: for everyone, so it shows list prices, never an organisation's own. */
export function lookup(listing: Listing): Action {
  return {
    method: 'get',
    path: base,
    // Names of models may have slashes: `accounts/fireworks/models/x`.
    aliases: [`${base}/*rest`],
    root: true,
    summary: 'What a model costs, in USD cents',
    needs: 'public',
    reply: schema.Object({
      pay_as_you_go: field.object(),
      calculate: field.object(),
      currency: field.oneOf(['USD']),
      effective_from: schema.Unsafe<string | null>({ type: ['string', 'null'] }),
    }),
    run({ params, now }) {
      const { provider = '', model = '', rest } = params;
      const name = rest === undefined ? model : `${model}/${rest}`;
      const { listed } = listing.find(provider, name, now);
      return listed === undefined
        ? new RawReply(404, json, JSON.stringify({ error: 'Model not found' }))
        : wirePrice(listed.price);
    },
  };
}
