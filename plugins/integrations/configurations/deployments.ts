import { asObject, type Json, type JsonObject } from 'portcullis/sdk';
import { refuse } from '../refuse.ts';

const members = [
  { name: 'azure_deployment_name', required: true, max: 64 },
  { name: 'azure_api_version', required: true, max: 30 },
  { name: 'azure_model_slug', required: true, max: 255 },
  { name: 'alias', required: false, max: 255 },
] as const;
const most = 100;

/** A list of deployments, of which at most one is the default. @throws GatewayError `bad_request` */
export function deployments(value: Json, param: string): readonly JsonObject[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > most)
    return refuse(param, `must be a list of 1 to ${most} deployments`);
  const list = value.map((item: Json, index) => deployment(item, `${param}[${index}]`));
  if (list.filter((entry) => entry.is_default === true).length > 1) refuse(param, 'has more than one default');
  return list;
}

function deployment(item: Json, at: string): JsonObject {
  const given = asObject(item) ?? refuse(at, 'must be an object');
  const kept: Record<string, Json> = {};
  for (const { name, required, max } of members) {
    const value = given[name] ?? undefined;
    if (value === undefined && !required) continue;
    if (typeof value !== 'string' || value === '' || value.length > max)
      return refuse(`${at}.${name}`, `must be a text of 1 to ${max} characters`);
    kept[name] = value;
  }
  if (given.is_default === true || given.is_default === 1) kept.is_default = true;
  return kept;
}
