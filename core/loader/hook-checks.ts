import { type Hooks, type Manifest, phaseNames } from 'portcullis/sdk';
import { nearest } from '../config/nearest.ts';

const otherHooks = ['again', 'secrets', 'price', 'acceptHooks', 'prompt', 'explain', 'open', 'close'] as const;
const known: readonly string[] = [...phaseNames, ...otherHooks];

/** Where the hooks that setup returned differ from the phases of the manifest, each as a sentence's end. */
export function hookFaults(manifest: Manifest, hooks: Hooks): readonly string[] {
  if (typeof hooks !== 'object' || hooks === null) return ['returned no object of hooks from setup'];
  const declared: ReadonlySet<string> = new Set(manifest.phases);
  const phases = phaseNames.flatMap((phase) => {
    const hook: unknown = hooks[phase];
    if (hook === undefined)
      return declared.has(phase) ? [`names the phase ${phase} in plugin.json, but setup returned no hook for it`] : [];
    if (typeof hook !== 'function') return [`returned a hook ${phase} that is no function`];
    return declared.has(phase) ? [] : [`returned a hook ${phase}, which is not among the phases of its plugin.json`];
  });
  // A function under a name that nobody calls is a misspelt hook.
  const unknown = Object.entries(hooks).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function' || known.includes(name)) return [];
    const close = nearest(name, known);
    return [`returned a hook ${name}, which is no phase${close === undefined ? '' : ` (did you mean ${close}?)`}`];
  });
  const { open, close, secrets } = hooks as { open?: unknown; close?: unknown; secrets?: unknown };
  return [
    ...phases,
    ...unknown,
    ...(open === undefined || typeof open === 'boolean' ? [] : ['returned an `open` that is neither true nor false']),
    ...(secrets === undefined || typeof secrets === 'function' ? [] : ['returned a hook secrets that is no function']),
    ...(close === undefined || typeof close === 'function' ? [] : ['returned a `close` that is no function']),
  ];
}
