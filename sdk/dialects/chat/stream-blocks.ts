import { parseJson } from '../../json.ts';
import type { Delta } from '../neutral.ts';

type WithoutPlace<D> = D extends { readonly choice: number; readonly block: number }
  ? Omit<D, 'choice' | 'block'>
  : never;

/** A delta of a part that does not yet know its block. */
export type Fragment = WithoutPlace<Delta>;

interface OpenBlock {
  readonly key: string;
  readonly block: number;
  readonly call: boolean;
  custom: boolean;
  arguments: string;
}

/**
 * Puts the fragments of one choice into blocks. Servers may send the pieces of parallel tool calls by turns, but a block that
 * was left is never opened again: while the arguments of the open call are incomplete JSON, later parts wait.
 */
export class StreamBlocks {
  readonly #choice: number;
  #open: OpenBlock | undefined;
  #blocks = 0;
  readonly #closed = new Set<string>();
  readonly #waiting: { readonly key: string; readonly fragments: Fragment[] }[] = [];

  constructor(choice: number) {
    this.#choice = choice;
  }

  /** Adds a fragment of the part `key`. Parts other than calls open anew when another part came between. */
  add(key: string, fragment: Fragment): readonly Delta[] {
    if (this.#open?.key === key) return [this.#place(this.#open, fragment), ...this.#admit(false)];
    const waiting = isCall(key)
      ? this.#waiting.find((part) => part.key === key)
      : this.#waiting.findLast((part, index) => part.key === key && index === this.#waiting.length - 1);
    if (waiting !== undefined) waiting.fragments.push(fragment);
    else if (!this.#closed.has(key)) this.#waiting.push({ key, fragments: [fragment] });
    return this.#admit(false);
  }

  /** Everything that still waits, in its order. */
  flush(): readonly Delta[] {
    return this.#admit(true);
  }

  #admit(evenIfOpen: boolean): readonly Delta[] {
    const admitted: Delta[] = [];
    while (this.#waiting.length > 0 && (evenIfOpen || isComplete(this.#open))) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      if (this.#open?.call === true) this.#closed.add(this.#open.key);
      const open = { key: next.key, block: this.#blocks, call: isCall(next.key), custom: false, arguments: '' };
      this.#open = open;
      this.#blocks += 1;
      admitted.push(...next.fragments.map((fragment) => this.#place(open, fragment)));
    }
    return admitted;
  }

  #place(open: OpenBlock, fragment: Fragment): Delta {
    if (fragment.type === 'tool-arguments') open.arguments += fragment.text;
    if (fragment.type === 'tool-call') open.custom = fragment.custom === true;
    return { ...fragment, choice: this.#choice, block: open.block } as Delta;
  }
}

const callPrefix = 'call:';

/** The key of a tool call's part. */
export function callKey(slot: number | string): string {
  return `${callPrefix}${slot}`;
}

function isCall(key: string): boolean {
  return key.startsWith(callPrefix);
}

// Free text of a custom tool has no end that can be seen, so it ends where the next part begins.
function isComplete(open: OpenBlock | undefined): boolean {
  if (open === undefined || !open.call || open.custom) return true;
  return /\}\s*$/.test(open.arguments.slice(-8)) && parseJson(open.arguments) !== undefined;
}
