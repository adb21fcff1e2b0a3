/** Where a text stops being JSON, as line and column from 1 (RFC 8259). Only run on text that the parser has refused. */
export function faultPosition(text: string): { readonly line: number; readonly column: number } {
  const at = new Scanner(text).fault();
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - before.lastIndexOf('\n') };
}

const whitespace = /[ \t\n\r]*/y;
// RFC 8259 §7: unescaped = %x20-21 / %x23-5B / %x5D-10FFFF.
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Walks a JSON text with a stack of its own, so that no depth of nesting overflows. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  fault(): number {
    const open: ('{' | '[')[] = [];
    let expectValue = true;
    for (;;) {
      this.#take(whitespace);
      const char = this.#text[this.#at];
      if (char === undefined) return this.#at;
      if (expectValue) {
        if (char === '{' || char === '[') {
          this.#at += 1;
          this.#take(whitespace);
          if (this.#text[this.#at] === (char === '{' ? '}' : ']')) {
            this.#at += 1;
            expectValue = false;
            continue;
          }
          open.push(char);
          if (char === '{' && !this.#key()) return this.#at;
        } else if (this.#string() || this.#take(scalar)) {
          expectValue = false;
        } else {
          return this.#at;
        }
        continue;
      }
      const inside = open.at(-1);
      if (inside === undefined) return this.#at;
      if (char === ',') {
        this.#at += 1;
        if (inside === '{') {
          this.#take(whitespace);
          if (!this.#key()) return this.#at;
        }
        expectValue = true;
      } else if (char === (inside === '{' ? '}' : ']')) {
        this.#at += 1;
        open.pop();
      } else {
        return this.#at;
      }
    }
  }

  #key(): boolean {
    if (!this.#string()) return false;
    this.#take(whitespace);
    if (this.#text[this.#at] !== ':') return false;
    this.#at += 1;
    return true;
  }

  /** By hand: on a text of millions of characters, a regular expression runs out of stack. */
  #string(): boolean {
    if (this.#text[this.#at] !== '"') return false;
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = at + 1;
        return true;
      }
      if (code < 0x20) return false;
      if (code !== 0x5c) continue;
      escaped.lastIndex = at;
      if (!escaped.test(this.#text)) return false;
      at = escaped.lastIndex - 1;
    }
    return false;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null || match[0] === '') return false;
    this.#at += match[0].length;
    return true;
  }
}
