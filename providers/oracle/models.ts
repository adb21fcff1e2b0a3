import {
  asObjects,
  asString,
  type EndpointSpec,
  encodeModels,
  type FlowCall,
  type FlowResult,
  type FlowTools,
  type ModelEntry,
} from 'portcullis/sdk';
import { placeOf } from './settings.ts';

const maxPages = 10;

/** Source: https://docs.oracle.com/iaas/api/#/en/generative-ai/latest/ModelCollection/ListModels, which is on a host of its own. */
export const listModels: EndpointSpec = { method: 'GET', path: '/models', flow: list };

async function list({ facts }: FlowCall, { send }: FlowTools): Promise<FlowResult> {
  const { oracleRegion, oracleApiVersion } = facts.settings;
  const url = `https://generativeai.${asString(oracleRegion)}.oci.oraclecloud.com/${asString(oracleApiVersion)}/models`;
  const query = new URLSearchParams({ compartmentId: asString(placeOf(facts).compartmentId) ?? '' });
  const models: ModelEntry[] = [];
  for (let page = 0; page < maxPages; page += 1) {
    const { json, headers } = await send({ method: 'GET', url: `${url}?${query}` });
    for (const item of asObjects(json.items)) {
      const created = Math.floor(Date.parse(asString(item.timeCreated) ?? '') / 1000);
      const ownedBy = asString(item.vendor);
      models.push({
        // Models that many share are called by their names.
        id: asString(item.displayName) ?? asString(item.id) ?? '',
        ...(Number.isFinite(created) ? { created } : {}),
        ...(ownedBy === undefined ? {} : { ownedBy }),
      });
    }
    const next = headers['opc-next-page'];
    if (next === undefined || next === '') break;
    query.set('page', next);
  }
  return { status: 200, json: encodeModels(models, 'oracle') };
}
