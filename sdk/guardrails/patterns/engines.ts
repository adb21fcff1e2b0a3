import type { RE2JS } from 're2js';

export interface Found {
  /** UTF-16 units from the start of the text. */
  readonly index: number;
  readonly text: string;
  readonly groups: readonly (string | undefined)[];
}

export interface Engine {
  test(text: string): boolean;
  /** The first match that begins at `from` or behind; what stands before it is seen by assertions. */
  find(text: string, from: number): Found | undefined;
}

export function re2Engine(pattern: RE2JS): Engine {
  return {
    test: (text) => pattern.test(text),
    find: (text, from) => {
      // Whether there is a match at all is known far sooner than where.
      if (from === 0 && !pattern.test(text)) return undefined;
      const matcher = pattern.matcher(text);
      if (!matcher.find(from)) return undefined;
      const count = matcher.groupCount();
      return {
        index: matcher.start(),
        text: matcher.group() ?? '',
        groups: Array.from({ length: count }, (_, at) => matcher.group(at + 1) ?? undefined),
      };
    },
  };
}

/** `RegExp` runs out of its stack on texts of many megabytes: then the other engine takes over. */
export function nativeEngine(source: string, other: Engine): Engine {
  const once = new RegExp(source, 'u');
  const from = new RegExp(source, 'gu');
  return {
    test: (text) => {
      try {
        return once.test(text);
      } catch {
        return other.test(text);
      }
    },
    find: (text, start) => {
      from.lastIndex = start;
      let match: RegExpExecArray | null;
      try {
        match = from.exec(text);
      } catch {
        return other.find(text, start);
      }
      return match === null ? undefined : { index: match.index, text: match[0], groups: match.slice(1) };
    },
  };
}
