import {
  type Action,
  asObject,
  field,
  GatewayError,
  type JsonObject,
  type Resource,
  type ResourceHooks,
  required,
  schema,
} from 'portcullis/sdk';
import type { Listing } from './listing.ts';
import { agreedPrices } from './loader.ts';
import { catalogueOf, checkedPrice } from './overrides.ts';
import type { ModelPriceRecord } from './table.ts';
import { wirePrice } from './wire.ts';

const provider = () =>
  field.text({ min: 1, max: 64, pattern: '^[a-z0-9][a-z0-9-]*$', accepts: 'the name of a provider, such as openai' });
const model = () => field.text({ min: 1, max: 255, pattern: '\\S' });

/** Prices that an organisation has agreed on with a provider: they stand over the list prices from their moment on. */
export function modelPrices(listing: Listing): Resource {
  return {
    name: 'model_prices',
    object: 'model-price',
    title: 'Model price',
    path: '/model-prices',
    owner: 'organisation',
    permission: 'organisation_integrations',
    fields: {
      provider: required(provider()),
      model: required(model()),
      effective_from: field.time(),
      price: required(
        schema.Unsafe<JsonObject>({
          type: 'object',
          description: 'USD cents a token by the names of the catalogue: request_token, response_token and others.',
        }),
      ),
    },
    columns: ['provider', 'model', 'effective_from'],
    filters: { provider: provider(), model: model() },
    hooks: hooks as ResourceHooks,
    actions: [inForce(listing)],
  };
}

const hooks: ResourceHooks<ModelPriceRecord> = {
  create: ({ now }, body) => ({
    ...body,
    effective_from: body.effective_from ?? now,
    price: priceIn(body),
  }),
  update: (_, record, body) => ({
    ...body,
    effective_from: body.effective_from ?? record.effective_from,
    ...(body.price === undefined ? {} : { price: priceIn(body) }),
  }),
};

/** @throws GatewayError `bad_request` for a price that is no price: below zero above all */
function priceIn(body: JsonObject): JsonObject {
  try {
    return checkedPrice(asObject(body.price) ?? {});
  } catch (cause) {
    if (!GatewayError.is(cause)) throw cause;
    throw new GatewayError('bad_request', cause.message, { param: 'price', cause });
  }
}

/** `GET /model-prices/effective?provider=&model=`: what the organisation pays now, its own prices first. */
function inForce(listing: Listing): Action {
  return {
    method: 'get',
    path: '/model-prices/effective',
    summary: 'What a model costs this organisation now',
    needs: ['organisation_integrations.read', 'organisation_integrations.list'],
    in: 'organisation',
    query: schema.Object({ provider: provider(), model: model() }),
    reply: schema.Object({ pay_as_you_go: field.object(), source: field.oneOf(['organisation', 'catalogue']) }),
    async run(operation) {
      const { provider: name = '', model: wanted = '' } = operation.query;
      const stored = operation.records<ModelPriceRecord>('model_prices');
      const agreed = catalogueOf(await agreedPrices(stored, operation.scope.organisationId));
      const { listed } = listing.find(name, wanted, operation.now, agreed);
      if (listed === undefined) {
        throw new GatewayError('not_found', 'There is no price for this model of this provider.', { param: 'model' });
      }
      const { price, source } = listed;
      return { ...wirePrice(price), source: source === 'organisation' ? source : 'catalogue' };
    },
  };
}
