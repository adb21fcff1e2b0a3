import { GatewayError } from 'portcullis/sdk';

/** A language, and its script where that was said: `zh` and `Hant`. */
export interface Language {
  readonly code: string;
  readonly script: string | undefined;
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
const letters = 'abcdefghijklmnopqrstuvwxyz';
let known: ReadonlyMap<string, string> | undefined;

/** English names of all languages that have a code of two letters, in lower case; made when first asked for. */
function byName(): ReadonlyMap<string, string> {
  known ??= new Map(
    Array.from(letters, (first) => Array.from(letters, (second) => first + second))
      .flat()
      .map((code) => [names.of(code)?.toLowerCase() ?? '', canonical(code)]),
  );
  return known;
}

/**
 * A language by its ISO 639-1 code (`en`), its English name (`English`) or its FLORES code (`eng_Latn`). A script counts
 * where it is given.
 * @throws GatewayError `invalid_config` for anything else
 */
export function languageOf(given: string): Language {
  const named = byName().get(given.trim().toLowerCase());
  if (named !== undefined) return { code: named, script: undefined };
  const coded = languageOfCode(given);
  if (coded !== undefined) return coded;
  const why = `language "${given}" is none: use an ISO 639-1 code such as en, an English name, or a code such as eng_Latn.`;
  throw new GatewayError('invalid_config', why, { param: 'language' });
}

/** `en`, `eng`, `eng_Latn`, `zh-Hant`; undefined for what names no known language. */
export function languageOfCode(given: string): Language | undefined {
  const [, code = '', script] = /^([a-z]{2,3})(?:[_-]([a-z]{4}))?$/i.exec(given.trim()) ?? [];
  if (code === '') return undefined;
  const short = canonical(code.toLowerCase());
  if (names.of(short) === undefined) return undefined;
  return { code: short, script: script === undefined ? undefined : titled(script) };
}

/** Whether a text in one language counts as one in the other. */
export function isSame(found: Language, wanted: Language): boolean {
  if (found.code !== wanted.code) return false;
  return wanted.script === undefined || found.script === undefined || found.script === wanted.script;
}

/** Three letters become two where there are two, members of a macrolanguage become its code: `arb` is `ar`. */
function canonical(code: string): string {
  const [known = code] = Intl.getCanonicalLocales(code);
  return known === 'nb' || known === 'nn' ? 'no' : (known.split('-')[0] ?? code);
}

function titled(script: string): string {
  return script.charAt(0).toUpperCase() + script.slice(1).toLowerCase();
}
