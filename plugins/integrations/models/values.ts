import { asObject, type ControlHost, type Json, type JsonObject, type Values } from 'portcullis/sdk';
import { customHeaders } from '../configurations/custom-headers.ts';
import { checkedUrl, maskedHeaders } from '../configurations/merge.ts';
import { pricingConfig } from '../pricing.ts';
import { flag } from '../records.ts';
import { refuse } from '../refuse.ts';

/** What changes of a model: absent members stay, null clears them. @throws GatewayError `bad_request` inside `param` */
export async function modelValues(host: ControlHost, given: JsonObject, param: string): Promise<Values> {
  const { base_model_slug, name, pricing_config } = given;
  return {
    enabled: flag(given.enabled, true),
    ...(given.is_custom === undefined ? {} : { is_custom: flag(given.is_custom, false) }),
    ...(given.is_finetune === undefined ? {} : { is_finetune: flag(given.is_finetune, false) }),
    ...(base_model_slug === undefined ? {} : { base_model_slug }),
    ...(name === undefined ? {} : { name }),
    ...(pricing_config === undefined ? {} : { pricing_config: priceOf(pricing_config, `${param}.pricing_config`) }),
    ...(await configured(host, given.configurations, `${param}.configurations`)),
  };
}

function priceOf(value: Json, param: string): JsonObject | null {
  return value === null ? null : pricingConfig(value, param);
}

const members = ['custom_host', 'custom_headers'];
const cleared = { custom_host: null, custom_headers: null, masked_custom_headers: null };

async function configured(host: ControlHost, value: Json | undefined, param: string): Promise<Values> {
  if (value === undefined) return {};
  if (value === null) return cleared;
  const given = asObject(value) ?? refuse(param, 'must be an object');
  const names = Object.keys(given);
  if (names.length === 0) refuse(param, 'is empty; leave it out, or give null to clear it');
  const unknown = names.find((name) => !members.includes(name));
  if (unknown !== undefined) refuse(`${param}.${unknown.slice(0, 100)}`, `is unknown; accepted: ${members.join(', ')}`);
  const { custom_host: url, custom_headers: headers } = given;
  return {
    ...(url === undefined
      ? {}
      : { custom_host: url === null ? null : await checkedUrl(url, `${param}.custom_host`, host) }),
    ...(headers === undefined ? {} : headerValues(headers, `${param}.custom_headers`)),
  };
}

function headerValues(value: Json, param: string): Values {
  if (value === null) return { custom_headers: null, masked_custom_headers: null };
  const headers = customHeaders(value, param);
  return { custom_headers: headers, masked_custom_headers: maskedHeaders(headers) };
}
