import {
  type Dialect,
  type DialectName,
  dialects,
  type Endpoint,
  type EndpointSpec,
  GatewayError,
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

/** @throws GatewayError `endpoint_unsupported` */
export function chooseEndpoint(unit: ProviderUnit, wanted: Endpoint, preferResponses: boolean): ChosenEndpoint {
  const others = wanted === 'messages' && preferResponses ? viaResponses : (substitutes[wanted] ?? []);
  for (const endpoint of [wanted, ...others]) {
    const spec = unit.definition.endpoints[endpoint];
    if (spec !== undefined) return { endpoint, spec, dialect: dialectOf(spec.dialect) };
  }
  const offered = Object.keys(unit.definition.endpoints).join(', ');
  throw new GatewayError('endpoint_unsupported', `${wanted} is not supported by ${unit.name}. It offers: ${offered}.`);
}

function dialectOf(name: DialectName | undefined): Dialect | undefined {
  return name === undefined ? undefined : dialects[name];
}
