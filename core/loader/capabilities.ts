import { setImmediate } from 'node:timers/promises';
import { dialects, type Endpoint, type EndpointSpec, type JsonObject, type Provider } from 'portcullis/sdk';
import { type ProviderEntry, servedDefinition } from './providers.ts';

/** One thing that a provider can be asked for. */
export interface Capability {
  readonly endpoint: Endpoint;
  /** Its wire format; null where bytes pass untouched. */
  readonly dialect: string | null;
  /** Whether its replies can be streamed as events. */
  readonly stream: boolean;
  /** Whether a model can be given tools. */
  readonly tools: boolean;
  /** The models that it holds for; absent: all. */
  readonly family?: string;
}

export interface ProviderCapabilities {
  readonly id: string;
  readonly title: string;
  readonly capabilities: readonly Capability[];
}

/** Everything that the providers of this gateway can be asked for, from their own declarations. */
export function capabilitiesOf(
  units: readonly Pick<ProviderEntry, 'manifest' | 'definition'>[],
): readonly ProviderCapabilities[] {
  return units.map(({ manifest, definition }) => ({
    id: manifest.name,
    title: manifest.title,
    capabilities: declared(definition),
  }));
}

function declared({ endpoints, families = [] }: Provider): readonly Capability[] {
  const general = Object.entries(endpoints).map(([endpoint, spec]) => capabilityOf(endpoint as Endpoint, spec));
  const special = families.flatMap((family) =>
    Object.entries(family.endpoints).map(([endpoint, spec]) => ({
      ...capabilityOf(endpoint as Endpoint, spec),
      family: family.name,
    })),
  );
  return [...general, ...special];
}

/** Formats in which a request can hold tools. */
const withTools: ReadonlySet<string> = new Set(['chat', 'messages', 'responses', 'gemini', 'converse', 'cohere']);
/** Documents whose makers offer events while they are made. */
const streamed: ReadonlySet<string> = new Set(['images', 'transcriptions', 'speech']);

function capabilityOf(endpoint: Endpoint, { dialect: named, params, streamPath, flow }: EndpointSpec): Capability {
  const dialect = typeof named === 'string' ? dialects[named] : named;
  const generates = dialect?.kind === 'generation' && endpoint !== 'messagesCountTokens';
  const ofItsOwn = typeof named === 'object';
  return {
    endpoint,
    dialect: dialect?.name ?? null,
    stream:
      endpoint === 'realtime' ||
      generates ||
      streamPath !== undefined ||
      (flow === undefined && dialect !== undefined && streamed.has(dialect.name)),
    tools: generates && (ofItsOwn || withTools.has(dialect.name)) && params?.drop?.includes('tools') !== true,
  };
}

/** For how long others wait while the code of providers is imported. */
const turnMs = 5;

/** As the API lists them. Imports the providers that have not been needed before, and lets others take their turns meanwhile. */
export async function capabilityList(units: readonly ProviderEntry[]): Promise<JsonObject> {
  const data: JsonObject[] = [];
  let began = performance.now();
  for (const entry of units) {
    for (const { capabilities, ...unit } of capabilitiesOf([
      { manifest: entry.manifest, definition: servedDefinition(entry) },
    ]))
      data.push({ ...unit, object: 'provider', capabilities: capabilities.map((capability) => ({ ...capability })) });
    if (performance.now() - began < turnMs) continue;
    await setImmediate();
    began = performance.now();
  }
  return { object: 'list', total: data.length, data };
}
