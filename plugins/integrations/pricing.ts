import { asObject, type Json, type JsonObject, schema } from 'portcullis/sdk';
import { refuse } from './refuse.ts';

// Of tokens; a name of one kind of token below goes before its group.
const groups = ['request', 'response', 'cached', 'audio', 'reasoning'] as const;
const tokens = [
  'request_token',
  'response_token',
  'cache_read_input_token',
  'cache_write_input_token',
  'cache_read_audio_input_token',
  'request_audio_token',
  'response_audio_token',
  'reasoning_token',
  'prediction_accepted_token',
  'prediction_rejected_token',
  'request_image_token',
  'response_image_token',
  'request_text_token',
  'response_text_token',
  'cache_read_image_input_token',
  'cache_read_text_input_token',
  'cache_write_text_input_token',
  'cache_write_image_input_token',
] as const;
const multipliers = ['default', ...groups, ...tokens] as const;

const factor = { type: ['number', 'null'], minimum: 0 };

/** What prices are multiplied with; null inherits `default`. Names that are none are refused: they would silently do nothing. */
export const pricingAdjustments = schema.Unsafe<JsonObject | null>({
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    multiplier: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        ...Object.fromEntries(multipliers.map((name) => [name, factor])),
        image: { type: ['object', 'null'], additionalProperties: false, properties: { default: factor } },
        additional_units: { type: ['object', 'null'], additionalProperties: factor },
      },
    },
  },
});

const deepest = 6;

/**
 * A model's own prices, in US cents per token or unit: `{type: 'static', pay_as_you_go: {request_token: {price}, ...}}`.
 * Which of them requests are charged by is for the plugin to say that charges them.
 * @throws GatewayError `bad_request` for another type, or anything but numbers from 0 as prices
 */
export function pricingConfig(value: Json, param: string): JsonObject {
  const given = asObject(value) ?? refuse(param, 'must be an object');
  if (given.type !== 'static') refuse(`${param}.type`, 'must be static');
  const prices = asObject(given.pay_as_you_go) ?? refuse(`${param}.pay_as_you_go`, 'must be an object');
  const { per_request: _units, ...others } = prices;
  checkPrices(others, `${param}.pay_as_you_go`, 0);
  return { type: 'static', pay_as_you_go: prices };
}

function checkPrices(prices: JsonObject, at: string, depth: number): void {
  if (depth > deepest) refuse(at, 'is nested too deeply');
  for (const [name, value] of Object.entries(prices)) {
    const here = `${at}.${name.slice(0, 100)}`;
    const inner = asObject(value);
    if (inner !== undefined) checkPrices(inner, here, depth + 1);
    else if (value !== null && !(typeof value === 'number' && Number.isFinite(value) && value >= 0))
      refuse(here, 'must be a number from 0, in cents');
  }
}
