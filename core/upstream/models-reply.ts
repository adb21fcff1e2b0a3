import {
  asObject,
  decodeModels,
  dialects,
  encodeModel,
  encodeModels,
  type Json,
  type JsonObject,
  modelForms,
  type Outcome,
  parseJson,
  readModels,
} from 'portcullis/sdk';
import { inReply, unreadable } from './failed-reply.ts';
import type { Outbound } from './outbound.ts';
import { repairOf, repliedFacts } from './repair.ts';
import type { Base, ReplyFacts } from './reply.ts';

/** A provider's list of models, or one of them, in the form of the client's dialect. */
export function modelsOutcome(bytes: Buffer, base: Base, outbound: Outbound, facts: ReplyFacts): Outcome {
  const came = repaired(parseJson(bytes.toString('utf8')), base, outbound, facts);
  // A page of some proxy, taken for an empty list, would say that the provider is well.
  if (typeof came !== 'object' || came === null) return unreadable(base, facts);
  const fault = dialects.chat.faultOf(asObject(came) ?? {}, 200);
  if (fault !== undefined) return inReply(fault, base, outbound, facts);
  const body = outbound.chosen.endpoint === 'listModels' ? allModels(came, outbound, facts) : oneModel(came, facts);
  return { ...base, body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(body)) }, usage: () => undefined };
}

/** Clients of another form get the page that they ask for of the whole list, as providers have ways of their own to page. */
function allModels(came: Json | undefined, { facts: { query } }: Outbound, facts: ReplyFacts): JsonObject {
  const form = formOf(facts);
  return form === undefined ? encodeModels(decodeModels(came), facts.provider) : form.list(readModels(came), query);
}

function oneModel(came: Json | undefined, facts: ReplyFacts): JsonObject {
  const json = asObject(came) ?? {};
  const [model] = readModels([json]);
  if (model === undefined) return json;
  const form = formOf(facts);
  return form === undefined ? encodeModel(model.entry, facts.provider) : form.one(model);
}

function formOf({ dialect }: ReplyFacts) {
  return dialect === undefined ? undefined : modelForms[dialect];
}

function repaired(came: Json | undefined, base: Base, outbound: Outbound, facts: ReplyFacts): Json | undefined {
  const { repairList } = outbound.chosen.spec;
  if (Array.isArray(came) && repairList !== undefined)
    return repairList(came, repliedFacts(outbound, facts, base.headers));
  const object = asObject(came);
  return object === undefined ? came : (repairOf(outbound, facts, base.headers)?.(object) ?? object);
}
