import { hash } from 'node:crypto';
import { dimensionOf, type Subject } from './dimensions.ts';

/** Characters: names of counts have a bound, and metadata hardly any. */
const longest = 360;
const kept = 280;

/**
 * What a policy counts by: `metadata._user:alice`, several with commas between them. Commas and backslashes of values are
 * escaped; a request that has nothing in a respect counts under the empty value. What is too long is cut, and ends with a digest.
 * Half of a surrogate pair is replaced: no store gives it back.
 */
export function valueKeyReader(groupBy: readonly string[]): (subject: Subject) => string {
  const parts = groupBy.map((key) => ({ label: `${key}:`, dimension: dimensionOf(key) }));
  return (subject) => {
    let text = '';
    for (const { label, dimension } of parts) {
      const value = dimension?.read(subject) ?? '';
      text += `${text === '' ? '' : ','}${label}${plain.test(value) ? value : value.replace(special, '\\$&')}`;
    }
    if (text.length <= longest) return text.toWellFormed();
    return `${text.slice(0, kept).toWellFormed()}~${hash('sha256', text, 'hex').slice(0, 32)}`;
  };
}

/** What a request, or a count, is in one of the respects that a policy groups by. */
export interface GroupPart {
  readonly key: string;
  readonly value: string;
}

/** What such a text holds, up to where it was cut. */
export function partsOf(groupBy: readonly string[], valueKey: string): readonly GroupPart[] {
  const parts: GroupPart[] = [];
  let rest = valueKey;
  for (const key of groupBy) {
    const begins = `${parts.length === 0 ? '' : ','}${key}:`.toWellFormed();
    if (!rest.startsWith(begins)) break;
    const escaped = upToComma.exec(rest.slice(begins.length))?.[0] ?? '';
    parts.push({ key, value: escaped.replace(escapes, '$1') });
    rest = rest.slice(begins.length + escaped.length);
  }
  return parts;
}

/** A group as people read it. */
export function groupWords(parts: readonly GroupPart[]): string {
  return parts.map(({ key, value }) => `${key}:${value}`).join(',');
}

/** The same of a request: what has a name of its own stands under that, in the place of its id. */
export function groupWordsReader(groupBy: readonly string[]): (subject: Subject) => string {
  const dimensions = groupBy.map((key) => ({ key, dimension: dimensionOf(key) }));
  return (subject) =>
    groupWords(
      dimensions.map(({ key, dimension }) => ({
        key,
        value: dimension?.called?.(subject) ?? dimension?.read(subject) ?? '',
      })),
    );
}

const plain = /^[^,\\]*$/;
const special = /[,\\]/g;
const escapes = /\\(.)/gs;
const upToComma = /^(?:[^,\\]|\\.)*\\?/s;
