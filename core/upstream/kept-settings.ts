import { GatewayError, type Settings } from 'portcullis/sdk';
import type { ProviderUnit } from './provider-unit.ts';

/**
 * Refuses a party that would spend the credential of an earlier one in a place of its own choice: another bucket, another role.
 * Whoever brings a secret of the provider along may name what it likes.
 * @param parties the earlier first @throws GatewayError `forbidden`, naming the setting
 */
export function checkKept(unit: ProviderUnit, parties: readonly Settings[]): void {
  const guarded = unit.fields.filter(({ kept }) => kept !== undefined);
  if (guarded.length === 0) return;
  let below: Settings = {};
  for (const [index, own] of parties.entries()) {
    const brings = unit.fields.some(({ name, secret }) => secret && own[name] !== undefined);
    for (const { name, snake, kept } of index === 0 || brings ? [] : guarded) {
      const fixed = kept === 'always' || below[name] !== undefined;
      if (own[name] === undefined || own[name] === below[name] || !fixed) continue;
      const text = `The setting ${snake} of ${unit.name} comes with the credential, and a request or config without one of its own may not replace it.`;
      throw new GatewayError('forbidden', text, { param: snake });
    }
    below = { ...below, ...own };
  }
}
