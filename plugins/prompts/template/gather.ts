import { GatewayError, type Json, type MaybePromise } from 'portcullis/sdk';
import { bounds, checkTags } from './bounds.ts';
import { checkChains, includedBy } from './chains.ts';
import { type PartialReference, readPartialReference } from './references.ts';
import { Steps } from './steps.ts';
import { Structures } from './structures.ts';
import type { Template } from './template.ts';
import type { Variables } from './variables.ts';

export type LoadPartial = (reference: PartialReference) => MaybePromise<Template | undefined>;

export interface Gathered {
  /** By reference, as written: `pp-greeting@5`. */
  readonly partials: ReadonlyMap<string, Template>;
  /** The references that `load` knew nothing for. They render to nothing. */
  readonly missing: readonly string[];
}

const nothing: Gathered = { partials: new Map(), missing: [] };

/**
 * Every partial that the templates include, however far, with those that variables name. Gives no promise when no load
 * does.
 * @throws GatewayError `bad_request` when a reference is malformed, a partial includes itself, or there are too many or
 * too deep ones
 */
export function gatherPartials(
  templates: readonly Template[],
  variables: Variables,
  load: LoadPartial,
): MaybePromise<Gathered> {
  const named = namesIn(variables);
  const first = templates.flatMap((template) => includedBy(template, named));
  if (first.length === 0) return nothing;
  const partials = new Map<string, Template>();
  const missing: string[] = [];

  const follow = (references: readonly string[]): MaybePromise<Gathered> => {
    const unknown = [...new Set(references)].filter((text) => !partials.has(text) && !missing.includes(text));
    if (unknown.length === 0) {
      checkChains(new Set(first), partials, named);
      return { partials, missing };
    }
    checkCount(partials.size + missing.length + unknown.length);
    const read = unknown.map((text) => readPartialReference(text));
    const take = (loaded: readonly (Template | undefined)[]) => {
      unknown.forEach((text, index) => {
        const template = loaded[index];
        if (template === undefined) missing.push(text);
        else partials.set(text, template);
      });
      return follow(loaded.flatMap((template) => (template === undefined ? [] : includedBy(template, named))));
    };
    const loading = read.map(load);
    return loading.some((loaded) => loaded instanceof Promise)
      ? Promise.all(loading).then(take)
      : take(loading as readonly (Template | undefined)[]);
  };
  return follow(first);
}

function checkCount(count: number): void {
  if (count <= bounds.partials) return;
  const text = `A prompt includes at most ${bounds.partials} different partials.`;
  throw new GatewayError('bad_request', text, { param: 'string' });
}

/** Which reference a variable holds, if any. */
function namesIn(variables: Variables): (variable: string) => string | undefined {
  const structures = new Structures(new Steps().spend);
  const known = new Map<string, string | undefined>();
  return (variable) => {
    if (known.has(variable)) return known.get(variable);
    checkTags(known.size + 1, 'string');
    const reference = referenceIn(structures.at(variables, variable.split('.')));
    // Read here too, because the fault is the caller's and not the template's.
    if (reference !== undefined) readPartialReference(reference, `variables.${variable}`);
    known.set(variable, reference);
    return reference;
  };
}

/** The reference that a variable holds, if any: only a text can name a partial. */
export function referenceIn(value: Json | undefined): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}
