import {
  asObject,
  asString,
  type ConfigNode,
  type ControlHost,
  configNodes,
  type Json,
  type Operation,
  placeOfRequests,
  promptWarning,
  providerNamedIn,
  providerWarning,
  type Warning,
} from 'portcullis/sdk';
import type { ConfigRecord } from './table.ts';

/** Something that a config names by id or slug. */
interface Named {
  readonly kind: 'virtual key' | 'provider' | 'prompt';
  readonly name: string;
  readonly param: string;
}

/** A config may name thousands of things that are not there: these say enough. */
const most = 100;

/**
 * What the config names and requests of its workspace would not find. It is no fault: configs are made before the providers
 * that they name. Guardrails are not among it, for a config that names one that is not there is refused.
 */
export async function warningsOf(
  host: Pick<ControlHost, 'providers'>,
  operation: Operation,
  record: ConfigRecord,
): Promise<readonly Warning[]> {
  // An archived one serves nobody.
  if (record.status !== 'active') return [];
  const units = new Set(host.providers().map(({ name }) => name));
  const known = new Map<string, boolean>();
  const warnings: Warning[] = [];
  for (const named of configNodes(record.config).flatMap(namesIn)) {
    const { kind, name } = named;
    // What follows an @ may also be a provider without anything saved; a virtual key is always a saved one.
    if (kind === 'provider' && units.has(name)) continue;
    const of = `${kind === 'prompt'} ${name}`;
    if (known.get(of) === true) continue;
    const warning = await warningOf(operation, record, named);
    known.set(of, warning === undefined);
    if (warning !== undefined) warnings.push(warning);
    if (warnings.length === most) break;
  }
  return warnings;
}

function warningOf(operation: Operation, record: ConfigRecord, { kind, name, param }: Named) {
  const look = kind === 'prompt' ? promptWarning : providerWarning;
  return look(operation, placeOfRequests(record), name, param);
}

/** What a node names itself. A model says where requests go only where nothing else in the node does. */
function namesIn({ path, node }: ConfigNode): readonly Named[] {
  const { provider, virtual_key: virtualKey, prompt_id: prompt } = node;
  const own: Named[] = [];
  const add = (kind: Named['kind'], name: string | undefined, member: string) => {
    if (name !== undefined) own.push({ kind, name, param: `${path}.${member}` });
  };
  add('virtual key', asString(virtualKey), 'virtual_key');
  add('provider', saved(asString(provider)), 'provider');
  add('prompt', asString(prompt), 'prompt_id');
  if (provider !== undefined || virtualKey !== undefined) return own;
  for (const member of ['override_params', 'default_params'] as const)
    add('provider', saved(providerNamedIn(modelIn(node[member]))), `${member}.model`);
  return own;
}

function modelIn(params: Json | undefined): Json | undefined {
  return asObject(params)?.model;
}

/** `slug` of `@slug`; anything else is no saved provider. */
function saved(provider: string | undefined): string | undefined {
  return provider?.startsWith('@') === true ? provider.slice(1) : undefined;
}
