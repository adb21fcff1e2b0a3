/** Follows the text of one JSON object that comes in pieces, each character once. */
export interface ObjectScan {
  push(piece: string): void;
  /** The first character that is no white space opens an object. */
  readonly opened: boolean;
  /** The object's last brace has come: nothing that matters can follow. */
  readonly complete: boolean;
}

/** Makes a scan for one text. What is no JSON object never counts as opened, nor as complete. */
export function createObjectScan(): ObjectScan {
  let first = '';
  let depth = 0;
  let quoted = false;
  let escaped = false;

  const step = (character: string): void => {
    if (escaped) escaped = false;
    else if (quoted && character === '\\') escaped = true;
    else if (character === '"') quoted = !quoted;
    else if (quoted) return;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
  };

  return {
    push(piece) {
      const rest = first === '' ? piece.trimStart() : piece;
      first ||= rest.charAt(0);
      if (first !== '{') return;
      for (const character of rest) step(character);
    },
    get opened() {
      return first === '{';
    },
    get complete() {
      return first === '{' && depth <= 0;
    },
  };
}
