import {
  encodeModel,
  encodeModels,
  GatewayError,
  type MaybePromise,
  type ModelEntry,
  modelForms,
  type Outcome,
  type WorkspaceModels,
} from 'portcullis/sdk';
import { jsonOutcome } from '../upstream/outcome.ts';
import type { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';

/** Headers that say where a request goes: with one of them, a listing of models is meant for that provider. */
const signals = ['provider', 'virtual-key', 'config'];

/** Whether a listing is meant for a provider rather than for the gateway; two headers force the gateway's own list. */
export function asksProvider(exchange: Exchange): boolean {
  if (exchange.control('fetch-integrated-models') === 'true' || exchange.control('models-endpoint') === 'true')
    return false;
  return signals.some((name) => exchange.control(name) !== undefined);
}

/** One model of a saved provider. */
interface ListedModel {
  /** As the provider names it. */
  readonly model: string;
  /** Slug of the saved provider. */
  readonly provider: string;
  /** The provider unit. */
  readonly unit: string;
  /** Epoch milliseconds. */
  readonly createdAt?: number;
}

/**
 * The models of the saved providers, as `@slug/model`: those of the operator's file, or those of the caller's workspace.
 * The query takes `provider` (slug, with or without @), `ai_service` (unit), `search`, `sort` (name, provider,
 * ai_service, created), `order` (asc, desc), `limit` (1 to 1000) and `offset`. `total_count` counts before the page is cut.
 * Formats with a form of their own have their own names for pages.
 * @throws GatewayError `bad_request` naming the parameter
 */
export function integratedModels(runtime: Runtime, exchange: Exchange): MaybePromise<Outcome> {
  const found = ownModels(runtime, exchange);
  return found instanceof Promise ? found.then((models) => listed(models, exchange)) : listed(found, exchange);
}

/** One of {@link integratedModels} by its id; undefined: it is none of them. */
export function integratedModel(runtime: Runtime, exchange: Exchange): MaybePromise<Outcome | undefined> {
  const found = ownModels(runtime, exchange);
  return found instanceof Promise ? found.then((models) => shown(models, exchange)) : shown(found, exchange);
}

function ownModels(runtime: Runtime, { principal: { access } }: Exchange): MaybePromise<readonly ListedModel[]> {
  if (access === undefined) return ofFile(runtime);
  const found = runtime.directory?.get('models', access.organisationId, access.workspaceId ?? '');
  return found instanceof Promise ? found.then(ofWorkspace) : ofWorkspace(found);
}

function ofFile({ config }: Runtime): readonly ListedModel[] {
  return Object.entries(config.providers).flatMap(([slug, saved]) =>
    saved.models.map((model) => ({ model, provider: slug, unit: saved.provider })),
  );
}

function ofWorkspace(entry: WorkspaceModels | undefined): readonly ListedModel[] {
  return (entry?.models ?? []).map(({ slug, provider, unit, createdAt }) => ({
    model: slug,
    provider,
    unit,
    createdAt,
  }));
}

function listed(models: readonly ListedModel[], { query, dialect }: Exchange): Outcome {
  const wanted = new URLSearchParams(query);
  const kept = sorted(models.filter(filterOf(wanted)), wanted);
  const form = modelForms[dialect ?? 'chat'];
  if (form !== undefined) {
    const page = form.list(
      kept.map((model) => ({ entry: entryOf(model) })),
      Object.fromEntries(wanted),
    );
    return jsonOutcome(200, page);
  }
  const offset = whole(wanted, 'offset', 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const limit = whole(wanted, 'limit', 1, maxLimit) ?? kept.length;
  const page = kept.slice(offset, offset + limit).map(entryOf);
  return jsonOutcome(200, { ...encodeModels(page), total_count: kept.length });
}

function shown(models: readonly ListedModel[], { params, dialect }: Exchange): Outcome | undefined {
  const found = models.map(entryOf).find(({ id }) => id === params.id);
  if (found === undefined) return undefined;
  const form = modelForms[dialect ?? 'chat'];
  return jsonOutcome(200, form === undefined ? encodeModel(found) : form.one({ entry: found }));
}

const maxLimit = 1000;

function entryOf({ model, provider, unit, createdAt }: ListedModel): ModelEntry {
  return {
    id: `@${provider}/${model}`,
    ownedBy: unit,
    ...(createdAt === undefined ? {} : { created: Math.floor(createdAt / 1000) }),
  };
}

function filterOf(wanted: URLSearchParams): (model: ListedModel) => boolean {
  const provider = wanted.get('provider')?.replace(/^@/, '');
  const unit = wanted.get('ai_service');
  const search = wanted.get('search')?.toLowerCase();
  return (entry) =>
    (provider === undefined || entry.provider === provider) &&
    (unit === null || withoutMajor(entry.unit) === withoutMajor(unit)) &&
    (search === undefined || `@${entry.provider}/${entry.model}`.toLowerCase().includes(search));
}

function withoutMajor(unit: string): string {
  return unit.split('@')[0] ?? unit;
}

const sortKeys: Readonly<Record<string, (model: ListedModel) => string | number>> = {
  name: ({ model }) => model,
  provider: ({ provider }) => provider,
  ai_service: ({ unit }) => unit,
  created: ({ createdAt }) => createdAt ?? 0,
};

function sorted(models: readonly ListedModel[], wanted: URLSearchParams): readonly ListedModel[] {
  const by = choice(wanted, 'sort', Object.keys(sortKeys));
  const order = choice(wanted, 'order', ['asc', 'desc']);
  const key = sortKeys[by ?? 'name'];
  if ((by === undefined && order === undefined) || key === undefined) return models;
  const direction = order === 'desc' ? -1 : 1;
  return models.toSorted((a, b) => {
    const [left, right] = [key(a), key(b)];
    return left === right ? 0 : direction * (left < right ? -1 : 1);
  });
}

function choice(wanted: URLSearchParams, name: string, accepted: readonly string[]): string | undefined {
  const value = wanted.get(name);
  if (value === null) return undefined;
  if (accepted.includes(value)) return value;
  throw new GatewayError('bad_request', `${name} must be one of ${accepted.join(', ')}.`, { param: name });
}

function whole(wanted: URLSearchParams, name: string, least: number, most: number): number | undefined {
  const text = wanted.get(name);
  if (text === null) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new GatewayError('bad_request', `${name} must be a whole number ${bounds}.`, { param: name });
}
