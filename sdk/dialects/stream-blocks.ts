import type { Delta } from './neutral.ts';
import { createObjectScan, type ObjectScan } from './object-scan.ts';

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
  readonly scan: ObjectScan;
}

interface WaitingPart {
  readonly key: string;
  readonly fragments: Fragment[];
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
  #waiting: WaitingPart[] = [];
  /** The first of `#waiting` that still waits. */
  #next = 0;
  readonly #waitingCalls = new Map<string, WaitingPart>();

  constructor(choice: number) {
    this.#choice = choice;
  }

  /** Adds a fragment of the part `key`. Parts other than calls open anew when another part came between. */
  add(key: string, fragment: Fragment): readonly Delta[] {
    if (this.#open?.key === key) return [this.#place(this.#open, fragment), ...this.#admit(false)];
    const last = this.#next < this.#waiting.length ? this.#waiting.at(-1) : undefined;
    const waiting = isCall(key) ? this.#waitingCalls.get(key) : last?.key === key ? last : undefined;
    if (waiting !== undefined) waiting.fragments.push(fragment);
    else if (!this.#closed.has(key)) this.#wait({ key, fragments: [fragment] });
    return this.#admit(false);
  }

  /** Everything that still waits, in its order. */
  flush(): readonly Delta[] {
    return this.#admit(true);
  }

  #wait(part: WaitingPart): void {
    this.#waiting.push(part);
    if (isCall(part.key)) this.#waitingCalls.set(part.key, part);
  }

  #admit(evenIfOpen: boolean): readonly Delta[] {
    const admitted: Delta[] = [];
    let next = this.#waiting[this.#next];
    for (; next !== undefined && (evenIfOpen || isComplete(this.#open)); next = this.#waiting[this.#next]) {
      this.#next += 1;
      this.#waitingCalls.delete(next.key);
      if (this.#open?.call === true) this.#closed.add(this.#open.key);
      const open = {
        key: next.key,
        block: this.#blocks,
        call: isCall(next.key),
        custom: false,
        scan: createObjectScan(),
      };
      this.#open = open;
      this.#blocks += 1;
      for (const fragment of next.fragments) admitted.push(this.#place(open, fragment));
    }
    if (next === undefined) {
      this.#waiting = [];
      this.#next = 0;
    }
    return admitted;
  }

  #place(open: OpenBlock, fragment: Fragment): Delta {
    if (fragment.type === 'tool-arguments') open.scan.push(fragment.text);
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
  return open.scan.complete;
}
