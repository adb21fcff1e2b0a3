import type { Static, TSchema } from 'typebox';
import type { Check, Guardrail } from './contracts/guardrail.ts';
import type { Plugin } from './contracts/plugin.ts';
import type { Provider } from './contracts/provider.ts';

const providers = new WeakSet<object>();
const plugins = new WeakSet<object>();
const guardrails = new WeakSet<object>();

/** Declares a provider: the default export of its `index.ts`. */
export function provider(definition: Provider): Provider {
  const declared = Object.freeze({ ...definition });
  providers.add(declared);
  return declared;
}

/** Declares a plugin: the default export of its `index.ts`. */
export function plugin<C extends TSchema>(definition: Plugin<C>): Plugin<C> {
  const declared = Object.freeze({ ...definition });
  plugins.add(declared);
  return declared;
}

/** Declares a family of checks: the default export of a guardrail's `index.ts`. */
export function guardrail(definition: Guardrail): Guardrail {
  const declared = Object.freeze({ ...definition });
  guardrails.add(declared);
  return declared;
}

/** Declares one check; the types of `run` follow from the schema and from what `prepare` gives. */
export function check<Config extends TSchema, Ready = Static<Config>, Secrets = unknown>(
  definition: Check<Config, Ready, Secrets>,
): Check<Config, Ready, Secrets> {
  return Object.freeze({ ...definition });
}

/** Whether the value came from `provider()`. */
export function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && providers.has(value);
}

/** Whether the value came from `plugin()`. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && plugins.has(value);
}

/** Whether the value came from `guardrail()`. */
export function isGuardrail(value: unknown): value is Guardrail {
  return typeof value === 'object' && value !== null && guardrails.has(value);
}
