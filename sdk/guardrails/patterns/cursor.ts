import { GatewayError } from '../../errors.ts';

/** Where a pattern has been read to. */
export interface Cursor {
  /** UTF-16 units from the start. */
  readonly at: number;
  readonly done: boolean;
  /** The next code point as text; '' at the end. */
  readonly next: string;
  /** Whether the rest begins with the text. */
  sees(text: string): boolean;
  /** Goes beyond the text when the rest begins with it. */
  takes(text: string): boolean;
  /** Goes beyond the next code point and gives it. */
  take(): string;
  /** What a sticky expression matches here. */
  peekMatch(expression: RegExp): RegExpExecArray | undefined;
  /** Goes beyond what a sticky expression matches here. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined;
  fault(reason: string): GatewayError;
}

/** @param param what errors name as the field at fault */
export function cursorOf(source: string, param: string): Cursor {
  let at = 0;
  const next = () => (at < source.length ? String.fromCodePoint(source.codePointAt(at) ?? 0) : '');
  const peekMatch = (expression: RegExp) => {
    expression.lastIndex = at;
    return expression.exec(source) ?? undefined;
  };
  return {
    get at() {
      return at;
    },
    get done() {
      return at >= source.length;
    },
    get next() {
      return next();
    },
    sees: (text) => source.startsWith(text, at),
    takes: (text) => {
      const there = source.startsWith(text, at);
      if (there) at += text.length;
      return there;
    },
    take: () => {
      const taken = next();
      at += taken.length;
      return taken;
    },
    peekMatch,
    takeMatch: (expression) => {
      const match = peekMatch(expression);
      at += match?.[0].length ?? 0;
      return match;
    },
    fault: (reason) =>
      new GatewayError(
        'invalid_config',
        `${param} is not a pattern that is accepted: ${reason} (character ${at + 1}).`,
        {
          param,
        },
      ),
  };
}
