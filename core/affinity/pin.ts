import { GatewayError, type MaybePromise } from 'portcullis/sdk';
import type { Exchange } from '../pipeline/exchange.ts';
import type { ResolvedPlan } from '../pipeline/plans.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import type { Leaf, Node } from '../routing/plan.ts';
import { walk } from '../routing/walk.ts';
import type { Standing } from './affinity.ts';
import { placeOf, sharesHost } from './place.ts';
import { type Reference, referencesOf } from './referred.ts';
import { type AffinityRow, fileScope, hashOf } from './rows.ts';

/** The one target that can answer, with the plan that it belongs to. */
export interface Pinned {
  readonly plan: ResolvedPlan;
  readonly leaf: Leaf;
}

/** Whose objects the caller may speak of. */
export function scopeOf({ workspace }: Exchange): string {
  return workspace?.id ?? fileScope;
}

/**
 * The target that has made what a request refers to. Undefined, without a promise, for requests that refer to nothing; also
 * where nobody here has made it.
 * @throws GatewayError `not_found` for what another workspace has made, and for what no target can answer any more;
 *   `bad_request` for objects of two targets
 */
export function pinnedTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
): MaybePromise<Pinned | undefined> {
  const references = referencesOf(exchange);
  if (references.length === 0) return undefined;
  const found = runtime.affinity.find(
    references.map(({ id }) => hashOf(id)),
    scopeOf(exchange),
  );
  return found instanceof Promise
    ? found.then((standings) => pinnedBy(runtime, exchange, plan, references, standings))
    : pinnedBy(runtime, exchange, plan, references, found);
}

function pinnedBy(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  references: readonly Reference[],
  standings: readonly Standing[],
): MaybePromise<Pinned | undefined> {
  refuseThose(references, standings);
  const owned = references.flatMap((reference, index): readonly Owned[] => {
    const row = standings[index];
    return typeof row === 'object' ? [{ reference, row }] : [];
  });
  // Targets that run prompts have a body, and with it a provider, of their own.
  return owned.length === 0 || plan.runsPrompts ? undefined : chosen(runtime, exchange, plan, owned);
}

/**
 * For a request whose target is chosen already, such as a line of a file.
 * @throws GatewayError `not_found` for what another workspace has made
 */
export function refuseForeign({ affinity }: Runtime, exchange: Exchange): MaybePromise<void> {
  const references = referencesOf(exchange);
  if (references.length === 0) return undefined;
  const found = affinity.find(
    references.map(({ id }) => hashOf(id)),
    scopeOf(exchange),
  );
  return found instanceof Promise
    ? found.then((standings) => refuseThose(references, standings))
    : refuseThose(references, found);
}

function refuseThose(references: readonly Reference[], standings: readonly Standing[]): void {
  const foreign = references.find((_, index) => standings[index] === 'foreign');
  if (foreign !== undefined) throw unknownObject(foreign);
}

interface Owned {
  readonly reference: Reference;
  readonly row: AffinityRow;
}

/** A target of the plan, and whom it calls. */
interface Candidate {
  readonly leaf: Leaf;
  readonly place: string;
  readonly unit: string;
  readonly slug: string | undefined;
}

async function chosen(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  owned: readonly Owned[],
): Promise<Pinned> {
  const candidates = await candidatesOf(runtime, exchange, plan);
  const [first, ...rest] = owned.map(({ reference, row }) => ({ reference, row, fitting: fittingOf(row, candidates) }));
  if (first === undefined) throw new TypeError('There is nothing to choose a target by.');
  let { fitting } = first;
  for (const other of rest) {
    if (fitting.length === 0 && other.fitting.length === 0 && isOneAccount(first.row, other.row)) continue;
    fitting = fitting.filter((candidate) => other.fitting.includes(candidate));
    if (fitting.length === 0) throw conflict(first.reference, other.reference);
  }
  if (fitting.length > 0) return { plan, leaf: await preferred(runtime, exchange, plan, fitting) };
  const saved = await savedTarget(runtime, exchange, plan, first.row);
  if (saved === undefined) throw unreachable(first.reference);
  return saved;
}

function isOneAccount(one: AffinityRow, other: AffinityRow): boolean {
  if (one.target === other.target) return true;
  return one.providerSlug !== undefined && one.providerSlug === other.providerSlug && one.provider === other.provider;
}

/** Targets that cannot be called at all are none. */
async function candidatesOf(runtime: Runtime, exchange: Exchange, plan: ResolvedPlan): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const leaf of leavesOf(plan.plan.root)) {
    try {
      const provider = await runtime.settings.providerOf(leaf, exchange, exchange.body);
      const place = placeOf(runtime, exchange, plan, leaf, provider);
      found.push({ leaf, place, unit: provider.unit.name, slug: provider.slug });
    } catch (error) {
      if (!GatewayError.is(error)) throw error;
    }
  }
  return found;
}

/** The same account; or else the same saved provider; or else, where a credential was replaced, the one account at its host. */
function fittingOf(row: AffinityRow, candidates: readonly Candidate[]): readonly Leaf[] {
  const same = candidates.filter(({ place }) => place === row.target);
  if (same.length > 0) return same.map(({ leaf }) => leaf);
  const ofUnit = candidates.filter(({ unit, slug }) => unit === row.provider && slug === row.providerSlug);
  const saved = row.providerSlug === undefined ? [] : ofUnit;
  if (saved.length > 0) return saved.map(({ leaf }) => leaf);
  const there = row.providerSlug === undefined ? ofUnit.filter(({ place }) => sharesHost(place, row.target)) : [];
  return new Set(there.map(({ place }) => place)).size === 1 ? there.map(({ leaf }) => leaf) : [];
}

/** Of several targets with one account the one that the plan would choose, where it chooses one of them. */
async function preferred(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  fitting: readonly Leaf[],
): Promise<Leaf> {
  const [only] = fitting;
  if (only === undefined) throw new TypeError('There is no target to prefer.');
  if (fitting.length === 1) return only;
  const facts = {
    metadata: exchange.metadata,
    params: exchange.body,
    path: exchange.path,
    random: runtime.random,
    now: runtime.now,
    cancelled: () => false,
  };
  try {
    const { leaf } = await walk(plan.plan, facts, async (visited) => ({ status: 200, leaf: visited }));
    return fitting.includes(leaf) ? leaf : only;
  } catch (error) {
    // No condition matches: the plan has nothing to say.
    if (GatewayError.is(error)) return only;
    throw error;
  }
}

/** The saved provider that made it, beside the plan, with the guardrails of the plan's first target. */
async function savedTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  { providerSlug, provider }: AffinityRow,
): Promise<Pinned | undefined> {
  const { config, allowConfigOverride } = exchange.principal;
  // The caller is held to one config, and nothing beside it.
  if (providerSlug === undefined || (config !== undefined && allowConfigOverride === false)) return undefined;
  if (!(await runtime.settings.isSaved(providerSlug, exchange))) return undefined;
  const [first] = leavesOf(plan.plan.root);
  const leaf: Leaf = {
    kind: 'leaf',
    path: plan.plan.root.path,
    virtualKey: providerSlug,
    settings: {},
    passthrough: false,
    hooks: first?.hooks ?? { before: [], after: [] },
    ...(first?.strict === undefined ? {} : { strict: first.strict }),
    ...(first?.retry === undefined ? {} : { retry: first.retry }),
    ...(first?.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: first.requestTimeoutMs }),
  };
  const found = await runtime.settings.providerOf(leaf, exchange, exchange.body);
  if (found.unit.name !== provider) return undefined;
  const own = { ...plan, plan: { id: plan.plan.id, root: leaf }, callersHost: undefined, operatorHost: undefined };
  return { plan: { ...own, inline: false }, leaf };
}

function leavesOf(node: Node): readonly Leaf[] {
  return node.kind === 'leaf' ? [node] : node.children.flatMap(leavesOf);
}

/** The same words for what others have and for what nobody has. */
function unknownObject({ field, id, kind }: Reference): GatewayError {
  return new GatewayError('not_found', `${called(kind, id)} does not exist.`, { param: field });
}

function unreachable({ field, id, kind }: Reference): GatewayError {
  const text = `${called(kind, id)} was made by a provider account that this request cannot reach: it is not among the targets of the config, and not saved under its old slug.`;
  return new GatewayError('not_found', text, { param: field });
}

function conflict(one: Reference, other: Reference): GatewayError {
  const text = `${one.field} and ${other.field} were made by different provider accounts, and no target can answer to both.`;
  return new GatewayError('bad_request', text, { param: other.field });
}

function called(kind: Reference['kind'], id: string): string {
  if (kind === 'reasoning') return 'The encrypted content';
  const name = kind === 'part' ? 'object' : kind.replaceAll('_', ' ');
  return `The ${name} "${id.slice(0, 100)}"`;
}
