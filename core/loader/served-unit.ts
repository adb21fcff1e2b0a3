import { GatewayError } from 'portcullis/sdk';
import type { FoundUnit } from './import-unit.ts';
import { referenceOf } from './registry.ts';

/**
 * What is read of a unit's code while the gateway serves: what is wrong with the code is for the log alone.
 * @throws GatewayError `internal`, its cause the fault
 */
export function served<Definition>({ manifest }: Pick<FoundUnit, 'manifest'>, read: () => Definition): Definition {
  try {
    return read();
  } catch (cause) {
    const text = `The ${manifest.kind} ${referenceOf(manifest)} of this gateway cannot be used. The log says why.`;
    throw new GatewayError('internal', text, { cause });
  }
}
