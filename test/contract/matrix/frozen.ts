import type { EndpointSpec, Endpoints, Provider } from 'portcullis/sdk';
import type { ProviderEntry } from '../../../core/loader/providers.ts';
import { compileProvider, type ProviderUnit } from '../../../core/upstream/provider-unit.ts';
import { deepFreeze } from '../../../sdk/testing/deep-freeze.ts';

const functions = [
  'request',
  'repair',
  'repairList',
  'wrap',
  'unwrap',
  'encoding',
  'streamUsage',
  'path',
  'streamPath',
];

/** The same unit, whose functions get nothing that they could change: in strict code, who writes to it throws. */
export function frozenUnit({ manifest, definition }: ProviderEntry): ProviderUnit {
  const { families, endpoints } = definition;
  return compileProvider(manifest, {
    ...definition,
    endpoints: frozenEndpoints(endpoints),
    ...(families === undefined
      ? {}
      : { families: families.map((family) => ({ ...family, endpoints: frozenEndpoints(family.endpoints) })) }),
  } as Provider);
}

function frozenEndpoints(endpoints: Endpoints): Endpoints {
  return Object.fromEntries(Object.entries(endpoints).map(([name, spec]) => [name, frozenSpec(spec)]));
}

function frozenSpec(spec: EndpointSpec): EndpointSpec {
  const wrapped = functions.flatMap((name) => {
    const own = (spec as unknown as Readonly<Record<string, unknown>>)[name];
    if (typeof own !== 'function') return [];
    return [[name, (...given: readonly unknown[]): unknown => own(...given.map(frozen))] as const];
  });
  const { flow } = spec;
  return {
    ...spec,
    ...Object.fromEntries(wrapped),
    ...(flow === undefined
      ? {}
      : {
          flow: (call, tools) => flow({ ...call, body: deepFreeze(call.body), facts: deepFreeze(call.facts) }, tools),
        }),
  };
}

/** Bytes cannot be frozen, and what holds functions is a tool. */
function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Object.values(value).some((member) => typeof member === 'function' || member instanceof Uint8Array)) return value;
  return deepFreeze(value);
}
