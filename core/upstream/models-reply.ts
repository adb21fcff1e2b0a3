import {
  asObject,
  decodeModels,
  encodeModels,
  type Json,
  type JsonObject,
  type Outcome,
  parseJson,
} from 'portcullis/sdk';
import type { Outbound } from './outbound.ts';
import { repairOf, repliedFacts } from './repair.ts';
import type { Base, ReplyFacts } from './reply.ts';

/** A provider's list of models in the gateway's form, or one of them. */
export function modelsOutcome(bytes: Buffer, base: Base, outbound: Outbound, facts: ReplyFacts): Outcome {
  const came = repaired(parseJson(bytes.toString('utf8')), base, outbound, facts);
  const body: JsonObject =
    outbound.chosen.endpoint === 'listModels'
      ? encodeModels(decodeModels(came), facts.provider)
      : oneModel(asObject(came) ?? {}, facts.provider);
  return { ...base, body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(body)) }, usage: () => undefined };
}

function oneModel(json: JsonObject, provider: string | undefined): JsonObject {
  const { data } = encodeModels(decodeModels({ data: [json] }), provider);
  const [entry] = Array.isArray(data) ? data : [];
  return asObject(entry) ?? json;
}

function repaired(came: Json | undefined, base: Base, outbound: Outbound, facts: ReplyFacts): Json | undefined {
  const { repairList } = outbound.chosen.spec;
  if (Array.isArray(came) && repairList !== undefined)
    return repairList(came, repliedFacts(outbound, facts, base.headers));
  const object = asObject(came);
  return object === undefined ? came : (repairOf(outbound, facts, base.headers)?.(object) ?? object);
}
