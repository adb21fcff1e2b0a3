import { GatewayError, type PhaseName, phaseNames } from 'portcullis/sdk';
import type { ReadyPlugin } from './compile.ts';

/** Phases without which no request can pass, and why. */
const needed: Readonly<Partial<Record<PhaseName, string>>> = {
  identify: 'nobody could ever be let in',
  resolve: 'no request would ever find a target',
};

/**
 * Refuses an order in which something could never run: a half of a plugin that no phase lists, or everything behind an
 * empty phase that every request must pass.
 * @throws GatewayError `invalid_config` naming the phase
 */
export function checkReachable(order: Readonly<Record<PhaseName, readonly ReadyPlugin[]>>): void {
  for (const phase of phaseNames) {
    const why = needed[phase];
    if (why !== undefined && order[phase].length === 0) {
      throw new GatewayError('invalid_config', `phases.${phase} lists no plugin: ${why}.`, {
        param: `phases.${phase}`,
      });
    }
  }
  for (const plugin of new Set(phaseNames.flatMap((phase) => order[phase]))) {
    const unlisted = phaseNames.find((phase) => plugin.hooks[phase] !== undefined && !order[phase].includes(plugin));
    if (unlisted === undefined) continue;
    const text = `The plugin ${plugin.name} also works in the phase ${unlisted}, where it is not listed: that half of it would never run. List it under phases.${unlisted} as well.`;
    throw new GatewayError('invalid_config', text, { param: `phases.${unlisted}` });
  }
}
