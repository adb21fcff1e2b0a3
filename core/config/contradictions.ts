import { phaseNames } from 'portcullis/sdk';
import type { OperatorFile } from './file-schema.ts';
import { nearest } from './nearest.ts';
import type { SchemaFault } from './schema-faults.ts';

/** What no schema can say: names that nothing bears, and things said twice. */
export function contradictions(file: OperatorFile): readonly SchemaFault[] {
  return [...missingConfigs(file), ...missingGuardrails(file), ...repeatedKeys(file), ...repeatedPlugins(file)];
}

function missingConfigs({ configs = {}, default_config, keys = [] }: OperatorFile): readonly SchemaFault[] {
  const uses = [
    { path: ['default_config'], name: default_config },
    ...keys.map(({ config }, index) => ({ path: ['keys', index, 'config'], name: config })),
  ];
  const names = Object.keys(configs);
  return uses.flatMap(({ path, name }) => {
    if (name === undefined || Object.hasOwn(configs, name)) return [];
    const close = nearest(name, names);
    const what = names.join(', ') || 'none';
    const reason = `names a config that does not stand under configs (there: ${what})`;
    return [{ path, reason, accepted: what, ...(close === undefined ? {} : { nearest: close }) }];
  });
}

function missingGuardrails({ guardrails = {}, default_guardrails, keys = [] }: OperatorFile): readonly SchemaFault[] {
  const names = Object.keys(guardrails);
  const what = names.join(', ') || 'none';
  const places = [
    { path: ['default_guardrails'], lists: default_guardrails },
    ...keys.map(({ guardrails: lists }, index) => ({ path: ['keys', index, 'guardrails'], lists })),
  ];
  return places.flatMap(({ path, lists }) =>
    (['input', 'output'] as const).flatMap((list) =>
      (lists?.[list] ?? []).flatMap((name, index): SchemaFault[] => {
        if (Object.hasOwn(guardrails, name)) return [];
        const close = nearest(name, names);
        const reason = `names a guardrail that does not stand under guardrails (there: ${what})`;
        return [
          { path: [...path, list, index], reason, accepted: what, ...(close === undefined ? {} : { nearest: close }) },
        ];
      }),
    ),
  );
}

function repeatedKeys({ keys = [] }: OperatorFile): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  for (const field of ['name', 'sha256'] as const) {
    const first = new Map<string, number>();
    keys.forEach((key, index) => {
      const value = key[field].toLowerCase();
      const earlier = first.get(value);
      if (earlier === undefined) first.set(value, index);
      else faults.push({ path: ['keys', index, field], reason: `is the same as that of keys[${earlier}]` });
    });
  }
  return faults;
}

function repeatedPlugins({ phases = {} }: OperatorFile): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  const configured = new Map<string, string>();
  for (const phase of phaseNames) {
    const seen = new Map<string, number>();
    for (const [index, entry] of (phases[phase] ?? []).entries()) {
      const plugin = typeof entry === 'string' ? entry : entry.plugin;
      const path = ['phases', phase, index];
      const earlier = seen.get(plugin);
      if (earlier === undefined) seen.set(plugin, index);
      else
        faults.push({
          path,
          reason: `lists the same plugin as phases.${phase}[${earlier}]: a plugin runs once in a phase`,
        });
      if (typeof entry === 'string' || entry.config === undefined) continue;
      const given = configured.get(plugin);
      if (given === undefined) configured.set(plugin, `phases.${phase}[${index}].config`);
      else
        faults.push({
          path: [...path, 'config'],
          reason: `gives the plugin's config a second time; it stands at ${given} and holds for all phases`,
        });
    }
  }
  return faults;
}
