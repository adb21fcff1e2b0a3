import type { Json } from 'portcullis/sdk';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from 'yaml';
import type { Path } from './schema-faults.ts';
import { substitute } from './substitute.ts';
import { yamlReasons } from './yaml-faults.ts';

/** Bounds of a file that is read whole: an alias can stand for many nodes, and aliases can stand in aliases. */
const maxAliases = 100;
const maxNodes = 200_000;
const maxDepth = 100;

export interface TreeFault {
  readonly path: Path;
  readonly offset: number;
  readonly reason: string;
}

/** A YAML document as plain values, substitutions made, with the place of each. */
export interface Tree {
  readonly value: Json;
  readonly faults: readonly TreeFault[];
  /** The paths of scalars that were one substitution and nothing else. */
  readonly substituted: readonly Path[];
  /** Line and column, from 1, of the value or, where there is none, of the innermost value around it. */
  position(path: Path): { readonly line: number; readonly column: number };
  positionAt(offset: number): { readonly line: number; readonly column: number };
}

export function readTree(text: string, lookup: (name: string) => string | undefined): Tree {
  const lines = new LineCounter();
  const document = parsed(text, lines);
  const offsets = new Map<string, number>();
  const positionAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const position = (path: Path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsets.get(JSON.stringify(path.slice(0, length)));
      if (offset !== undefined) return positionAt(offset);
    }
    return positionAt(0);
  };
  if ('reason' in document) {
    const faults: readonly TreeFault[] = [{ path: [], offset: 0, reason: document.reason }];
    return { value: null, faults, substituted: [], position, positionAt };
  }

  // One mistake often makes the parser stumble several times at the same place.
  const faults = [...document.errors, ...document.warnings]
    .map(({ code, pos }): TreeFault => ({ path: [], offset: pos[0], reason: yamlReasons[code] }))
    .filter((fault, index, all) => fault.offset !== all[index - 1]?.offset);
  const walk = new Walk(document, lookup, offsets);
  // A tree that the parser had to guess at would give faults that are not the operator's.
  const value = faults.length > 0 ? null : walk.value(document.contents, [], 0);
  return { value, faults: [...faults, ...walk.faults], substituted: walk.substituted, position, positionAt };
}

function parsed(text: string, lineCounter: LineCounter): Document | { readonly reason: string } {
  try {
    return parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      strict: true,
      uniqueKeys: true,
      version: '1.2',
      schema: 'core',
    });
  } catch {
    // The parser recurses: only a nesting beyond all use exhausts the stack.
    return { reason: yamlReasons.RESOURCE_EXHAUSTION };
  }
}

class Walk {
  readonly faults: TreeFault[] = [];
  readonly substituted: Path[] = [];
  readonly #document: Document;
  readonly #lookup: (name: string) => string | undefined;
  readonly #offsets: Map<string, number>;
  #aliases = 0;
  #nodes = 0;

  constructor(document: Document, lookup: (name: string) => string | undefined, offsets: Map<string, number>) {
    this.#document = document;
    this.#lookup = lookup;
    this.#offsets = offsets;
  }

  value(node: unknown, path: Path, offset: number): Json {
    this.#nodes += 1;
    if (this.#nodes > maxNodes || path.length > maxDepth)
      return this.#once(path, offset, 'is nested too deeply, or holds too much');
    if (isAlias(node)) {
      this.#aliases += 1;
      if (this.#aliases > maxAliases)
        return this.#once(path, offset, `is one alias too many: at most ${maxAliases} are followed`);
      const target = node.resolve(this.#document);
      return target === undefined
        ? this.#fault(path, offset, 'uses an alias whose anchor does not stand before it')
        : this.value(target, path, offset);
    }
    if (isMap(node)) return this.#mapping(node.items, path, offset);
    if (isSeq(node))
      return node.items.map((item, index) => this.#placed(item, [...path, index], startOf(item) ?? offset));
    if (!isScalar(node)) return null;
    return typeof node.value === 'string'
      ? this.#text(node.value, path, offset)
      : this.#scalar(node.value, path, offset);
  }

  #placed(node: unknown, path: Path, offset: number): Json {
    this.#offsets.set(JSON.stringify(path), offset);
    return this.value(node, path, offset);
  }

  #mapping(pairs: readonly Pair[], path: Path, offset: number): Json {
    const entries: [string, Json][] = [];
    for (const pair of pairs) {
      const at = startOf(pair.key) ?? offset;
      const key = keyOf(pair.key);
      if (key === undefined) this.#fault(path, at, 'holds a key that is no string');
      else if (key === '__proto__' || key === '<<') this.#fault([...path, key], at, 'cannot be a key in this file');
      else entries.push([key, this.#placed(pair.value, [...path, key], at)]);
    }
    return Object.fromEntries(entries);
  }

  #text(text: string, path: Path, offset: number): Json {
    const { text: value, whole, reasons } = substitute(text, this.#lookup);
    for (const reason of reasons) this.#fault(path, offset, reason);
    if (whole && reasons.length === 0) this.substituted.push(path);
    return value;
  }

  #scalar(value: unknown, path: Path, offset: number): Json {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    return this.#fault(path, offset, 'must be a string, a finite number, true, false or empty');
  }

  #fault(path: Path, offset: number, reason: string): null {
    this.faults.push({ path, offset, reason });
    return null;
  }

  /** Says it at the first place only: the rest of the file would say the same. */
  #once(path: Path, offset: number, reason: string): null {
    return this.faults.some((fault) => fault.reason === reason) ? null : this.#fault(path.slice(0, 3), offset, reason);
  }
}

function startOf(node: unknown): number | undefined {
  const range = (node as { range?: readonly number[] | null } | null | undefined)?.range;
  return range?.[0];
}

function keyOf(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined;
  if (typeof node.value === 'string') return node.value;
  return typeof node.value === 'number' || typeof node.value === 'boolean'
    ? String(node.source ?? node.value)
    : undefined;
}
