import { GatewayError } from 'portcullis/sdk';
import { bounds } from './bounds.ts';
import type { Template } from './template.ts';

/** The references of a template: those written in it, and those that the named variables hold. */
export function includedBy(
  { components }: Template,
  named: (variable: string) => string | undefined,
): readonly string[] {
  const { partials, variablePartials } = components;
  if (variablePartials.length === 0) return partials;
  return [...partials, ...variablePartials.flatMap((variable) => named(variable) ?? [])];
}

/** @throws GatewayError `bad_request` that names the chain, when a partial includes itself or the chain is too long */
export function checkChains(
  roots: ReadonlySet<string>,
  partials: ReadonlyMap<string, Template>,
  named: (variable: string) => string | undefined,
): void {
  const longest = new Map<string, readonly string[]>();

  const chainOf = (reference: string, above: readonly string[]): readonly string[] => {
    if (above.includes(reference)) {
      throw circle([...above.slice(above.indexOf(reference)), reference]);
    }
    const known = longest.get(reference);
    if (known !== undefined) return known;
    const template = partials.get(reference);
    let below: readonly string[] = [];
    for (const included of template === undefined ? [] : includedBy(template, named)) {
      const chain = chainOf(included, [...above, reference]);
      if (chain.length > below.length) below = chain;
    }
    const chain = [reference, ...below];
    longest.set(reference, chain);
    return chain;
  };

  for (const root of roots) {
    const chain = chainOf(root, []);
    if (chain.length <= bounds.partialDepth) continue;
    throw refusal(`Partials include each other at most ${bounds.partialDepth} levels deep: ${shown(chain)}.`);
  }
}

/** Says that a chain of partials ends where it begins. */
export function circle(chain: readonly string[]): GatewayError {
  return refusal(`A partial may not include itself: ${shown(chain)}.`);
}

function shown(chain: readonly string[]): string {
  const names = chain.map((reference) => reference.slice(0, 80));
  return names.length <= 14 ? names.join(' → ') : [...names.slice(0, 12), '…', ...names.slice(-1)].join(' → ');
}

function refusal(message: string): GatewayError {
  return new GatewayError('bad_request', message, { param: 'string' });
}
