import {
  asArray,
  asObject,
  asString,
  type JsonObject,
  type MaybePromise,
  type Outcome,
  parseJson,
} from 'portcullis/sdk';
import type { Exchange } from '../pipeline/exchange.ts';
import type { ResolvedPlan } from '../pipeline/plans.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import type { TargetProvider } from '../pipeline/target-provider.ts';
import type { Leaf } from '../routing/plan.ts';
import type { Standing } from './affinity.ts';
import { deletedIn, listsObjects, type Made, madeIn, outcomesIn, withoutItems } from './made.ts';
import { scopeOf } from './pin.ts';
import { placeOf } from './place.ts';
import { referencesOf } from './referred.ts';
import { type AffinityRow, hashOf, keptSeconds } from './rows.ts';
import { makesInStream, TappedStream } from './tapped-stream.ts';

/** Endpoints whose replies make, list or delete objects. Every other reply passes without a look at it. */
const telling: ReadonlySet<string> = new Set([
  'uploadFile',
  'listFiles',
  'deleteFile',
  'createBatch',
  'listBatches',
  'retrieveBatch',
  'cancelBatch',
  'createFinetune',
  'listFinetunes',
  'retrieveFinetune',
  'cancelFinetune',
  'createModelResponse',
  'getModelResponse',
  'deleteModelResponse',
  'messages',
  'assistants',
  'threads',
  'vectorStores',
  'conversations',
]);

/** Who has given a reply. */
interface Giver {
  readonly exchange: Exchange;
  readonly plan: ResolvedPlan;
  readonly leaf: Leaf;
  readonly provider: TargetProvider;
}

/**
 * Notes which target has made what a provider's reply tells of, and takes out of its lists what others have made. No promise
 * unless somebody has to be asked for that.
 */
export function keepAffinity(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
  outcome: Outcome,
): MaybePromise<Outcome> {
  if (!telling.has(exchange.endpoint) || outcome.status >= 300) return outcome;
  const giver = { exchange, plan, leaf, provider };
  const { body } = outcome;
  if (body.kind === 'stream') {
    if (!makesInStream(exchange)) return outcome;
    const note = (made: readonly Made[]) => remember(runtime, giver, made);
    const options = { exchange, severalTargets: severalTargets(plan), note };
    return { ...outcome, body: { kind: 'stream', stream: new TappedStream(body.stream, options) } };
  }
  // Answers of a model have nothing to tell but where code has run.
  if (exchange.endpoint === 'messages' && !makesInStream(exchange)) return outcome;
  const json = asObject(
    parseJson(Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength).toString()),
  );
  if (json === undefined) return outcome;
  remember(runtime, giver, madeIn(exchange, json));
  forget(runtime, exchange, json);
  const kept = rememberOutcomes(runtime, giver, json);
  const list = () => (listsObjects(exchange) ? ownItems(runtime, exchange, outcome, json) : outcome);
  return kept instanceof Promise ? kept.then(list) : list();
}

function severalTargets({ plan }: ResolvedPlan): boolean {
  return plan.root.kind !== 'leaf';
}

function remember(runtime: Runtime, { exchange, plan, leaf, provider }: Giver, made: readonly Made[]): void {
  if (made.length === 0) return;
  // What the request has named already is not made by its reply.
  const named = new Set(referencesOf(exchange).map(({ id }) => id));
  const createdAt = Math.floor(runtime.now() / 1000);
  const base = {
    scope: scopeOf(exchange),
    target: placeOf(runtime, exchange, plan, leaf, provider),
    provider: provider.unit.name,
    ...(provider.slug === undefined ? {} : { providerSlug: provider.slug }),
    createdAt,
  };
  const several = severalTargets(plan);
  const rows = made.flatMap(({ id, kind }): readonly AffinityRow[] => {
    // Items are many, and are named only to find the target again.
    if (named.has(id) || (kind === 'item' && !several)) return [];
    return [{ ...base, idHash: hashOf(id), kind, expiresAt: createdAt + keptSeconds[kind] }];
  });
  runtime.affinity.remember(rows);
}

function forget({ affinity }: Runtime, exchange: Exchange, json: JsonObject): void {
  const id = deletedIn(exchange, json);
  if (id !== undefined) affinity.forget({ idHash: hashOf(id), scope: scopeOf(exchange) });
}

/** What comes of an object belongs to those who have made that. */
function rememberOutcomes(runtime: Runtime, giver: Giver, json: JsonObject): MaybePromise<void> {
  const told = outcomesIn(giver.exchange, json).filter(({ made }) => made.length > 0);
  if (told.length === 0) return undefined;
  const found = runtime.affinity.find(
    told.map(({ of }) => hashOf(of.id)),
    scopeOf(giver.exchange),
  );
  const note = (standings: readonly Standing[]) => {
    remember(
      runtime,
      giver,
      told.flatMap(({ made }, index) => (typeof standings[index] === 'object' ? made : [])),
    );
  };
  return found instanceof Promise ? found.then(note) : note(found);
}

/** A list without what only other scopes have made. */
function ownItems(
  { affinity }: Runtime,
  exchange: Exchange,
  outcome: Outcome,
  json: JsonObject,
): MaybePromise<Outcome> {
  const ids = asArray(json.data).flatMap((item) => asString(asObject(item)?.id) ?? []);
  if (ids.length === 0) return outcome;
  const found = affinity.find(ids.map(hashOf), scopeOf(exchange));
  const filtered = (standings: readonly Standing[]): Outcome => {
    const left = new Set(ids.filter((_, index) => standings[index] === 'foreign'));
    if (left.size === 0) return outcome;
    return { ...outcome, body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(withoutItems(json, left))) } };
  };
  return found instanceof Promise ? found.then(filtered) : filtered(found);
}
