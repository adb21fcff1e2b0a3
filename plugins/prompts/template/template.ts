import { checkLength } from './bounds.ts';
import { componentsOf, type VariableComponents } from './components.ts';
import { type Node, nodesOf } from './nodes.ts';
import { balanced } from './sections.ts';
import { findTags } from './tags.ts';

/** A text whose tags have been found. It holds no state: it may be kept and rendered any number of times. */
export interface Template {
  readonly text: string;
  readonly components: VariableComponents;
  /** How many tags it has, comments included. With none, it renders to itself. */
  readonly tags: number;
  readonly nodes: readonly Node[];
}

/**
 * Reads a template in the Mustache language, without delimiter changes and functions. Malformed tags are text.
 * @throws GatewayError `bad_request` when it is too long, has too many tags or nests its sections too deep
 */
export function parseTemplate(text: string, param = 'string'): Template {
  checkLength(text, param);
  const tags = text.includes('{{') ? balanced(findTags(text, param), param) : [];
  const nodes = tags.length === 0 ? [text] : nodesOf(text, tags);
  return { text, components: componentsOf(nodes), tags: tags.length, nodes };
}
