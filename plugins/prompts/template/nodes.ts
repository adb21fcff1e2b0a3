import Mustache from 'mustache';
import { type Skeleton, skeletonOf } from './skeleton.ts';
import type { Tag } from './tags.ts';

/** The names on the way to a value; empty for the current one, which is written as a dot. */
export type Path = readonly string[];

/** A piece of a template. Text is a string. */
export type Node =
  | string
  | { readonly kind: 'variable'; readonly name: string; readonly path: Path }
  | {
      readonly kind: 'section';
      readonly name: string;
      readonly path: Path;
      readonly isInverted: boolean;
      readonly nodes: readonly Node[];
    }
  | { readonly kind: 'partial'; readonly reference: string }
  | { readonly kind: 'variablePartial'; readonly name: string; readonly path: Path };

/** A token of the library: kind, value, two positions, and for a section the tokens inside it. */
type Token = readonly [kind: string, value: string, start: number, end: number, inside?: readonly Token[]];

class UncachedWriter extends Mustache.Writer {
  // The library's cache never forgets a template.
  readonly templateCache = undefined;
}

const writer = new UncachedWriter();

/** The text as a tree. Only the given tags count as such. */
export function nodesOf(text: string, tags: readonly Tag[]): readonly Node[] {
  const skeleton = skeletonOf(text, tags);
  return treeOf(writer.parse(skeleton.text, ['{{', '}}']) as readonly Token[], skeleton);
}

function treeOf(tokens: readonly Token[], skeleton: Skeleton): readonly Node[] {
  const nodes: Node[] = [];
  for (const [kind, value, , , inside = []] of tokens) {
    if (kind === 'text') nodes.push(skeleton.restore(value));
    else if (kind === '&') nodes.push(inserted(value));
    else if (kind === '#' || kind === '^') {
      nodes.push({
        kind: 'section',
        name: value,
        path: pathOf(value),
        isInverted: kind === '^',
        nodes: treeOf(inside, skeleton),
      });
    }
  }
  return nodes;
}

function inserted(value: string): Node {
  if (value.startsWith('>>')) {
    const name = value.slice(2);
    return { kind: 'variablePartial', name, path: pathOf(name) };
  }
  if (value.startsWith('>')) return { kind: 'partial', reference: value.slice(1) };
  return { kind: 'variable', name: value, path: pathOf(value) };
}

function pathOf(name: string): Path {
  return name === '.' ? [] : name.split('.');
}
