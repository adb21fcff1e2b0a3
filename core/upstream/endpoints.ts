import {
  bounded,
  type Dialect,
  dialects,
  type Endpoint,
  type EndpointSpec,
  GatewayError,
  type GenerationDialect,
  type Provider,
  type Settings,
} from 'portcullis/sdk';
import type { ProviderUnit } from './provider-unit.ts';

/** Where a request may go when the provider does not offer its own endpoint: the nearest format first. */
const substitutes: Readonly<Partial<Record<Endpoint, readonly Endpoint[]>>> = {
  chatComplete: ['messages', 'createModelResponse'],
  complete: ['chatComplete', 'messages', 'createModelResponse'],
  messages: ['chatComplete', 'createModelResponse'],
  createModelResponse: ['chatComplete', 'messages'],
};

/** The beta under which messages go to a responses endpoint before a chat endpoint. */
const viaResponses: readonly Endpoint[] = ['createModelResponse', 'chatComplete'];

export interface ChosenEndpoint {
  readonly endpoint: Endpoint;
  readonly spec: EndpointSpec;
  /** The provider's wire format; undefined where bytes pass untouched. */
  readonly dialect: Dialect | undefined;
}

/** @param model as the client names it, without the slug of a saved provider @throws GatewayError `endpoint_unsupported` */
export function chooseEndpoint(
  unit: Pick<ProviderUnit, 'name' | 'definition'>,
  wanted: Endpoint,
  model: string,
  preferResponses: boolean,
  settings: Settings = {},
): ChosenEndpoint {
  const found = findEndpoint(unit, wanted, model, preferResponses, settings);
  if (found !== undefined) return found;
  const names = Object.keys(endpointsFor(unit.definition, model, settings)).join(', ');
  throw new GatewayError('endpoint_unsupported', `${wanted} is not supported by ${unit.name}. It offers: ${names}.`);
}

/** As `chooseEndpoint`; undefined: the provider offers neither the endpoint nor one that can stand for it. */
export function findEndpoint(
  { definition }: Pick<ProviderUnit, 'definition'>,
  wanted: Endpoint,
  model: string,
  preferResponses = false,
  settings: Settings = {},
): ChosenEndpoint | undefined {
  const offered = endpointsFor(definition, model, settings);
  const others = wanted === 'messages' && preferResponses ? viaResponses : (substitutes[wanted] ?? []);
  for (const endpoint of [wanted, ...others]) {
    const spec = offered[endpoint];
    if (spec !== undefined) return { endpoint, spec, dialect: dialectOf(spec.dialect) };
  }
  return undefined;
}

/** By what a family offers and what holds for all; made once for each. */
const merged = new WeakMap<Provider['endpoints'], Provider['endpoints']>();

/** What a provider offers for a model. */
function endpointsFor({ endpoints, families }: Provider, model: string, settings: Settings): Provider['endpoints'] {
  const family = families?.find(({ fits }) => fits(model, settings));
  if (family === undefined) return endpoints;
  const known = merged.get(family.endpoints) ?? { ...endpoints, ...family.endpoints };
  merged.set(family.endpoints, known);
  return known;
}

const ownDialects = new WeakMap<GenerationDialect, GenerationDialect>();

function dialectOf(dialect: EndpointSpec['dialect']): Dialect | undefined {
  if (typeof dialect === 'string') return dialects[dialect];
  if (dialect?.kind !== 'generation') return dialect;
  const known = ownDialects.get(dialect) ?? bounded(dialect);
  ownDialects.set(dialect, known);
  return known;
}
