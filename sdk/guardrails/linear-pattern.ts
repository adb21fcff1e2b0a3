import { RE2JS } from 're2js';
import { GatewayError } from '../errors.ts';
import { nativeSource, re2Source } from './patterns/emit.ts';
import { type Engine, nativeEngine, re2Engine } from './patterns/engines.ts';
import { isLinear, programSize } from './patterns/linearity.ts';
import type { Parsed } from './patterns/node.ts';
import { parsePattern } from './patterns/parse.ts';

export interface PatternMatch {
  /** UTF-16 units from the start of the text. */
  readonly index: number;
  readonly text: string;
  /** In the order of their opening parentheses; undefined: took no part. */
  readonly groups: readonly (string | undefined)[];
  readonly named: Readonly<Record<string, string | undefined>>;
}

export interface LinearPattern {
  /** `native`: a `RegExp`, where it is proved that it needs linear time; `re2`: slower, and linear by construction. */
  readonly engine: 'native' | 're2';
  /** Instructions of its program: with `re2`, the steps that a character of the text may take. */
  readonly size: number;
  readonly groupCount: number;
  /** Of the groups that have one. */
  readonly names: readonly string[];
  test(text: string): boolean;
  /** The first match. */
  exec(text: string): PatternMatch | undefined;
  /**
   * All matches, none inside of another; behind one without length the search goes on one character later.
   * @param most default 10,000
   * @throws GatewayError `check_failed` when there are more than `most`, or when the search for them takes over a second
   */
  all(text: string, most?: number): IterableIterator<PatternMatch>;
}

const maxLength = 4096;
const maxProgram = 5000;
const maxSearchMs = 1000;

/**
 * Compiles a pattern whose search takes time linear in the text: JavaScript's syntax in its Unicode mode, without
 * look-around and back-references. With `m`, lines end at line feeds.
 * @param flags of i, m, s; u and g are the rule anyway
 * @param param the field that errors name
 * @throws GatewayError `invalid_config` with the reason
 */
export function linearPattern(source: string, flags = '', param = 'pattern'): LinearPattern {
  return patternOf(source, flags, param);
}

/** As `linearPattern`, with a say in the engine: the slower one takes whatever the other does. */
export function patternOf(source: string, flags: string, param: string, only?: 're2'): LinearPattern {
  const fault = (why: string, cause?: unknown) =>
    new GatewayError('invalid_config', `${param} ${why}.`, { param, cause });
  if (source.length > maxLength) throw fault(`may have ${maxLength} characters at most`);
  if (!/^[imsug]*$/.test(flags) || new Set(flags).size !== flags.length)
    throw fault('may have the flags i, m, s, u and g, each once');
  const parsed = parsePattern(source, flags, param);
  if (programSize(parsed.node) > maxProgram) throw fault('is too large: lower the counts of its repeats');
  const program = compiled(re2Source(parsed.node), fault);
  const size = program.programSize();
  const linear = re2Engine(program);
  if (only === 're2' || !isLinear(parsed.node)) return searching('re2', size, linear, parsed);
  return searching('native', size, nativeEngine(nativeSource(parsed.node), linear), parsed);
}

function compiled(source: string, fault: (why: string, cause: unknown) => GatewayError): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : 'it cannot be compiled';
    throw fault(`is not a pattern that is accepted: ${why}`, cause);
  }
}

function searching(name: LinearPattern['engine'], size: number, engine: Engine, { captures }: Parsed): LinearPattern {
  const find = (text: string, from: number): PatternMatch | undefined => {
    const found = engine.find(text, from);
    if (found === undefined) return undefined;
    const named = captures.flatMap((name, at) => (name === undefined ? [] : [[name, found.groups[at]] as const]));
    return { ...found, named: Object.fromEntries(named) };
  };
  return {
    engine: name,
    size,
    groupCount: captures.length,
    names: captures.filter((each) => each !== undefined),
    test: (text) => engine.test(text),
    exec: (text) => find(text, 0),
    *all(text, most = 10_000) {
      // A match may be decided far behind its end: then no engine finds all of them in linear time.
      const until = performance.now() + maxSearchMs;
      let count = 0;
      for (let match = find(text, 0); match !== undefined; count += 1) {
        if (count >= most) throw tooMuch(`The pattern matches more than ${most} times.`);
        if (performance.now() > until)
          throw tooMuch('The pattern needs too long to find all its matches in this text.');
        yield match;
        const end = match.index + match.text.length;
        const next = match.text === '' ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
        match = next > text.length ? undefined : find(text, next);
      }
    },
  };
}

function tooMuch(why: string): GatewayError {
  return new GatewayError('check_failed', why);
}
