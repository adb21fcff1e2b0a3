import {
  type Action,
  type Control,
  type ControlHost,
  GatewayError,
  type Manifest,
  type Reaction,
} from 'portcullis/sdk';
import type { PluginEntry } from '../loader/load.ts';
import type { Registry } from '../loader/registry.ts';
import { bySpecificity, type Endpoint, endpointOf, endpointsOf } from '../resources/endpoints.ts';
import { modelOf, type ResourceModel } from '../resources/model.ts';
import type { OwnedReaction } from '../resources/operation.ts';
import { workspaceRemoval } from '../resources/workspace-removal.ts';

/** A plugin of the control plane that has been set up. */
export interface ControlUnit {
  readonly manifest: Manifest;
  readonly control: Control;
}

/** The listed plugins. @throws GatewayError `invalid_config` for a name that nothing bears, or that has no control plane part */
export function controlEntries(
  names: readonly string[],
  registry: Pick<Registry<PluginEntry>, 'find'>,
): readonly PluginEntry[] {
  return names.map((name) => {
    const entry = registry.find(name);
    if (entry.manifest.control === true && entry.definition.control !== undefined) return entry;
    throw new GatewayError(
      'invalid_config',
      `control.plugins lists ${name}, which brings nothing to the control plane: its plugin.json must say "control": true.`,
      { param: 'control.plugins' },
    );
  });
}

/** Sets up the plugins in order; those that need others' records find them at run time. */
export async function setupControl(
  entries: readonly PluginEntry[],
  hostFor: (manifest: Manifest) => ControlHost,
): Promise<readonly ControlUnit[]> {
  const units: ControlUnit[] = [];
  for (const { manifest, definition } of entries) {
    const control = await definition.control?.(hostFor(manifest));
    if (control !== undefined) units.push({ manifest, control });
  }
  return units;
}

export function modelsOf(units: readonly ControlUnit[]): ReadonlyMap<string, ResourceModel> {
  const models = new Map<string, ResourceModel>();
  for (const { manifest, control } of units) {
    for (const resource of control.resources ?? []) {
      if (models.has(resource.name)) refuse(manifest, `brings the resource ${resource.name}, which is there already`);
      if (manifest.tables?.includes(resource.name) !== true)
        refuse(manifest, `brings the resource ${resource.name} without listing its table`);
      models.set(resource.name, modelOf(resource));
    }
  }
  return models;
}

/** The whole route table, in the order in which it is matched. */
export function routeTable(
  units: readonly ControlUnit[],
  models: ReadonlyMap<string, ResourceModel>,
  ofCore: readonly Action[],
): readonly Endpoint[] {
  const ofUnits = units.flatMap(({ manifest, control }) => [
    ...(control.resources ?? []).flatMap((resource) =>
      endpointsOf(manifest.name, models.get(resource.name) as ResourceModel, models),
    ),
    ...(control.actions ?? []).map((action) => endpointOf(manifest.name, action, manifest.title, models)),
  ]);
  const endpoints = [...ofCore.map((action) => endpointOf('core', action, 'Gateways', models)), ...ofUnits];
  for (const endpoint of endpoints) {
    const { needs, name, plugin } = endpoint;
    // The default is deny: what nobody has thought about does not start.
    if (Array.isArray(needs) && needs.length === 0) refuse({ name: plugin }, `has no permission on its route ${name}`);
    if (endpoint.action?.of !== undefined && endpoint.model === undefined)
      refuse({ name: plugin }, `has a route ${name} of the resource ${endpoint.action.of}, which nobody brings`);
  }
  return endpoints.toSorted((a, b) => bySpecificity(a.path, b.path));
}

export function reactionsOf(
  units: readonly ControlUnit[],
  models: ReadonlyMap<string, ResourceModel>,
  ofCore: Readonly<Record<string, Reaction>>,
): ReadonlyMap<string, readonly OwnedReaction[]> {
  const all = new Map<string, OwnedReaction[]>();
  const add = (plugin: string, reactions: Readonly<Record<string, Reaction>>): void => {
    for (const [event, run] of Object.entries(reactions)) all.set(event, [...(all.get(event) ?? []), { plugin, run }]);
  };
  const { 'workspaces.removing': removing, ...ofRemoval } = workspaceRemoval(models);
  add('core', ofRemoval);
  add('core', ofCore);
  for (const { manifest, control } of units) add(manifest.name, control.reactions ?? {});
  // What plugins say of their own records comes before how many there are.
  add('core', { 'workspaces.removing': removing });
  return all;
}

function refuse({ name }: { readonly name: string }, why: string): never {
  throw new GatewayError('invalid_config', `The plugin ${name} ${why}.`);
}
