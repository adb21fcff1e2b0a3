import { type Json, type JsonArray, type JsonObject, parseJson } from 'portcullis/sdk';
import { isShallow } from './bounds.ts';
import type { Path } from './nodes.ts';

export type Structure = JsonObject | JsonArray;

const space = new Set([' ', '\t', '\n', '\r']);

// Finding a long string again may take a comparison of its whole length, which counts as work.
const charactersPerStep = 4_096;

/** Values as structure. A string that is the JSON text of an object or array counts as that, and is parsed once. */
export class Structures {
  readonly #parsed = new Map<string, Structure | undefined>();
  readonly #spend: (steps: number) => void;

  /** @param spend told of every step of work; it may throw */
  constructor(spend: (steps: number) => void) {
    this.#spend = spend;
  }

  of(value: Json): Structure | undefined {
    if (typeof value === 'object') return value ?? undefined;
    if (typeof value !== 'string') return undefined;
    const first = value[0];
    if (first === undefined || (first !== '{' && first !== '[' && !space.has(first))) return undefined;
    this.#spend(Math.floor(value.length / charactersPerStep));
    const known = this.#parsed.get(value);
    if (known !== undefined || this.#parsed.has(value)) return known;
    const parsed = parseJson(value);
    const structure = typeof parsed === 'object' && parsed !== null && isShallow(parsed) ? parsed : undefined;
    this.#parsed.set(value, structure);
    return structure;
  }

  /** The value that the path leads to, over own members alone, or undefined. */
  at(value: Json, path: Path): Json | undefined {
    this.#spend(path.length);
    let reached = value;
    for (const name of path) {
      const structure = this.of(reached) as JsonObject | undefined;
      if (structure === undefined || !Object.hasOwn(structure, name)) return undefined;
      reached = structure[name] as Json;
    }
    return reached;
  }
}
