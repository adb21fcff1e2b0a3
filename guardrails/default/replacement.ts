import type { PatternMatch } from 'portcullis/sdk';

export type Replacement = (match: PatternMatch) => string;

/** A text in which `$1`, `$<name>`, `$&` and `$$` stand for what they do in JavaScript; any other `$` is itself. */
export function replacementOf(template: string, groupCount: number, names: readonly string[]): Replacement {
  if (!template.includes('$')) return () => template;
  const parts = [...template.matchAll(/\$(?:(\$)|(&)|([0-9]{1,2})|<([^>]*)>)|\$|[^$]+/g)].map(
    ([whole, dollar, match, digits, name]) => partOf({ whole, dollar, match, digits, name }, groupCount, names),
  );
  return (match) => parts.map((part) => part(match)).join('');
}

interface Reference {
  readonly whole: string;
  readonly dollar: string | undefined;
  readonly match: string | undefined;
  readonly digits: string | undefined;
  readonly name: string | undefined;
}

function partOf(
  { whole, dollar, match, digits, name }: Reference,
  count: number,
  names: readonly string[],
): Replacement {
  if (dollar !== undefined) return () => '$';
  if (match !== undefined) return ({ text }) => text;
  if (name !== undefined && names.length > 0) return ({ named }) => named[name] ?? '';
  if (digits === undefined) return () => whole;
  const isGroup = (number: number) => number >= 1 && number <= count;
  const [group, rest] = isGroup(Number(digits)) ? [Number(digits), ''] : [Number(digits[0]), digits.slice(1)];
  return isGroup(group) ? ({ groups }) => (groups[group - 1] ?? '') + rest : () => whole;
}
