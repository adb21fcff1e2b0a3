import { createObjectScan } from '../object-scan.ts';
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
  const scan = createObjectScan();
  let held: string[] = [];

  return {
    push(text) {
      if (scan.complete) return '';
      if (!custom) scan.push(text);
      if (scan.opened && held.length === 0) return text;
      held.push(text);
      if (!scan.opened) return '';
      const opening = held.join('');
      held = [];
      return opening;
    },
    complete: () => scan.complete,
    end() {
      const input = scan.opened ? {} : toolInput(held.join(''), custom);
      held = [];
      return Object.keys(input).length === 0 ? '' : JSON.stringify(input);
    },
  };
}
