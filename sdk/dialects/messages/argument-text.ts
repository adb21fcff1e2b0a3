import { toolInput } from './tool-input.ts';

/**
 * Follows the arguments of one tool call while they stream: which text may be sent as `input_json_delta`, and whether the
 * JSON object is complete. Text that is no object is held back until the end, where it can be wrapped whole.
 */
export interface ArgumentText {
  /** The text to send now. */
  push(text: string): string;
  /** True once the object's last brace has come: nothing that matters can follow. */
  complete(): boolean;
  /** The text that was held back, as the JSON of an object. */
  end(): string;
}

export function createArgumentText(custom: boolean): ArgumentText {
  let held = '';
  let started = false;
  let depth = 0;
  let quoted = false;
  let escaped = false;

  const scan = (text: string): void => {
    for (const character of text) {
      if (escaped) escaped = false;
      else if (quoted && character === '\\') escaped = true;
      else if (character === '"') quoted = !quoted;
      else if (quoted) continue;
      else if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') depth -= 1;
    }
  };

  return {
    push(text) {
      if (started) {
        if (depth <= 0) return '';
        scan(text);
        return text;
      }
      held += text;
      if (custom || !held.trimStart().startsWith('{')) return '';
      started = true;
      const opening = held;
      held = '';
      scan(opening);
      return opening;
    },
    complete: () => started && depth <= 0,
    end() {
      const input = started ? {} : toolInput(held, custom);
      held = '';
      return Object.keys(input).length === 0 ? '' : JSON.stringify(input);
    },
  };
}
