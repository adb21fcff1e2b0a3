import { asObject, asString, GatewayError, type JsonObject, type Reaction } from 'portcullis/sdk';
import { overrideOf } from './model-override.ts';
import { demandPrice } from './read-rates.ts';

export const reactions: Readonly<Record<string, Reaction>> = {
  'integration_models.priced': async (_, __, { pricing, at }) =>
    demandOverride(asObject(pricing) ?? {}, asString(at) ?? 'pricing_config'),
};

/** @throws GatewayError `bad_request` for what no request could be charged by */
function demandOverride(pricing: JsonObject, at: string): void {
  try {
    demandPrice(overrideOf(pricing, at), `${at}.pay_as_you_go`);
  } catch (cause) {
    if (!GatewayError.is(cause)) throw cause;
    throw new GatewayError('bad_request', cause.message, { param: `${at}.pay_as_you_go`, cause });
  }
}
