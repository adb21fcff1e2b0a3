import { GatewayError, type Json, type JsonArray } from 'portcullis/sdk';
import { bounds } from './bounds.ts';
import { referenceIn } from './gather.ts';
import type { Node, Path } from './nodes.ts';
import { Steps } from './steps.ts';
import { Structures } from './structures.ts';
import type { Template } from './template.ts';
import { textOf } from './text-of.ts';
import type { Variables } from './variables.ts';

/** A value that names are looked up in, and the ones around it. */
interface Scope {
  readonly value: Json;
  readonly outer: Scope | undefined;
}

/** Renders templates with the same variables; they share the bounds on output and work. */
export class Rendering {
  readonly #root: Scope;
  readonly #partials: ReadonlyMap<string, Template>;
  readonly #steps = new Steps();
  readonly #structures = new Structures(this.#steps.spend);
  #output = '';
  #written = 0;
  #depth = 0;

  constructor(variables: Variables, partials: ReadonlyMap<string, Template>) {
    this.#root = { value: variables, outer: undefined };
    this.#partials = partials;
  }

  /** @throws GatewayError `bad_request` that says which bound was met */
  render(template: Template): string {
    if (template.tags === 0) {
      this.#count(template.text.length);
      return template.text;
    }
    this.#output = '';
    this.#nodes(template.nodes, this.#root);
    return this.#output;
  }

  #nodes(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) {
      this.#steps.spend(1);
      if (typeof node === 'string') this.#write(node);
      else if (node.kind === 'variable') this.#write(textOf(this.#find(node.path, scope)));
      else if (node.kind === 'section') this.#section(node, scope);
      else if (node.kind === 'partial') this.#partial(node.reference, scope);
      else this.#partial(referenceIn(this.#structures.at(this.#root.value, node.path)), scope);
    }
  }

  #section(node: Extract<Node, { kind: 'section' }>, scope: Scope): void {
    const value = this.#find(node.path, scope) ?? null;
    const structure = this.#structures.of(value);
    const items = Array.isArray(structure) ? (structure as JsonArray) : undefined;
    const holds = items === undefined ? Boolean(value) : items.length > 0;
    if (node.isInverted) {
      if (!holds) this.#nodes(node.nodes, scope);
      return;
    }
    if (!holds) return;
    if (items === undefined) {
      // A condition leaves the dot as it is.
      this.#nodes(node.nodes, value === true ? scope : { value, outer: scope });
      return;
    }
    for (const item of items) {
      this.#steps.spend(1);
      this.#nodes(node.nodes, { value: item, outer: scope });
    }
  }

  #partial(reference: string | undefined, scope: Scope): void {
    const template = reference === undefined ? undefined : this.#partials.get(reference);
    if (template === undefined) return;
    if (this.#depth === bounds.partialDepth) {
      throw refusal(`Partials include each other at most ${bounds.partialDepth} levels deep.`);
    }
    this.#depth += 1;
    this.#nodes(template.nodes, scope);
    this.#depth -= 1;
  }

  /** The innermost scope that has the whole path decides, as in the language that the templates are written in. */
  #find(path: Path, scope: Scope): Json | undefined {
    if (path.length === 0) return scope.value;
    for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
      const value = this.#structures.at(at.value, path);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #write(text: string): void {
    this.#count(text.length);
    this.#output += text;
  }

  #count(characters: number): void {
    this.#written += characters;
    if (this.#written <= bounds.outputCharacters) return;
    throw refusal(`The template renders to more than ${bounds.outputCharacters} characters.`);
  }
}

function refusal(message: string): GatewayError {
  return new GatewayError('bad_request', message, { param: 'variables' });
}

/**
 * The text with its values filled in. Pure: what it is given is left as it is, and the same gives the same.
 * @throws GatewayError `bad_request` when the output, the work or the depth of partials passes its bound
 */
export function renderTemplate(
  template: Template,
  variables: Variables,
  partials: ReadonlyMap<string, Template> = new Map(),
): string {
  return new Rendering(variables, partials).render(template);
}
