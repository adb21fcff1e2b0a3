import type { TSchema } from 'typebox';
import type { Plugin } from './contracts/plugin.ts';
import type { Provider } from './contracts/provider.ts';

const providers = new WeakSet<object>();
const plugins = new WeakSet<object>();

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

/** Whether the value came from `provider()`. */
export function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && providers.has(value);
}

/** Whether the value came from `plugin()`. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && plugins.has(value);
}
