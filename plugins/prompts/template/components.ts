import type { Node } from './nodes.ts';

/** What a template names, each once and in order of appearance. */
export interface VariableComponents {
  /** As written, with their suffix: `pp-greeting@5`. */
  readonly partials: readonly string[];
  readonly sections: readonly string[];
  /** Those outside every section. */
  readonly variables: readonly string[];
  readonly sectionVariables: readonly string[];
  /** The variables whose values name partials. */
  readonly variablePartials: readonly string[];
}

const lists = ['partials', 'sections', 'variables', 'sectionVariables', 'variablePartials'] as const;

/** What a tree names. A dot names nothing. */
export function componentsOf(nodes: readonly Node[]): VariableComponents {
  const found = newComponents();
  collect(nodes, found, false);
  return listed(found);
}

/** What several templates name together. */
export function joinedComponents(all: readonly VariableComponents[]): VariableComponents {
  const found = newComponents();
  for (const components of all) {
    for (const list of lists) for (const name of components[list]) found[list].add(name);
  }
  return listed(found);
}

/** Every name that is looked up among the variables. */
export function variableNames(components: VariableComponents): ReadonlySet<string> {
  const { variables, sections, sectionVariables, variablePartials } = components;
  return new Set([...variables, ...sections, ...sectionVariables, ...variablePartials]);
}

type Found = Readonly<Record<keyof VariableComponents, Set<string>>>;

function newComponents(): Found {
  return {
    partials: new Set(),
    sections: new Set(),
    variables: new Set(),
    sectionVariables: new Set(),
    variablePartials: new Set(),
  };
}

function listed(found: Found): VariableComponents {
  return {
    partials: [...found.partials],
    sections: [...found.sections],
    variables: [...found.variables],
    sectionVariables: [...found.sectionVariables],
    variablePartials: [...found.variablePartials],
  };
}

function collect(nodes: readonly Node[], found: Found, isInside: boolean): void {
  for (const node of nodes) {
    if (typeof node === 'string') continue;
    if (node.kind === 'partial') found.partials.add(node.reference);
    else if (node.kind === 'variablePartial') found.variablePartials.add(node.name);
    else if (node.kind === 'variable') {
      if (node.path.length > 0) found[isInside ? 'sectionVariables' : 'variables'].add(node.name);
    } else {
      if (node.path.length > 0) found.sections.add(node.name);
      collect(node.nodes, found, true);
    }
  }
}
