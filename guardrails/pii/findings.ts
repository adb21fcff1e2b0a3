import { type CheckInput, type Edit, foldedText, type JsonObject } from 'portcullis/sdk';
import { aroundSeams } from './across.ts';
import type { Category, Found } from './categories.ts';
import { merged } from './overlap.ts';
import type { Search } from './parameters.ts';
import type { Replace } from './replacement.ts';
import { scan } from './scan.ts';

const mostListed = 500;

/** A finding in one of the texts. */
export interface Finding extends Found {
  readonly textIndex: number;
  /** It is the rest of what begins in the text before. */
  readonly continues?: boolean;
}

export function findingsIn(input: CheckInput, search: Search): readonly Finding[] {
  const findings: Finding[] = [];
  for (const { index, text, goesOn } of input.texts) {
    for (const found of foundIn(text, search, goesOn)) findings.push({ ...found, textIndex: index });
  }
  return findings;
}

/** What only stands there where parts of a message follow each other without a break: no single text has a place for it. */
export function foundAcross({ texts }: CheckInput, search: Search): readonly Found[] {
  const around = aroundSeams(texts);
  return around === undefined ? [] : foundIn(around.text, search);
}

/** All that is to be taken out; of what stands across texts, each has its own share. */
export function findingsToRedact(input: CheckInput, search: Search): readonly Finding[] {
  const findings = findingsIn(input, search);
  const around = aroundSeams(input.texts);
  if (around === undefined) return findings;
  const across = foundIn(around.text, search).flatMap(({ category, start, end }) => {
    const places = around.placesOf(start, end);
    return places.length < 2 ? [] : places.map((place, at) => ({ ...place, category, continues: at > 0 }));
  });
  const isCovered = ({ textIndex, start, end }: Finding) =>
    across.some((one) => one.textIndex === textIndex && one.start <= start && end <= one.end);
  return [...findings.filter((finding) => !isCovered(finding)), ...across];
}

/** What stands in a text as it is written, and what is only found as it reads. */
function foundIn(text: string, { wanted, allow }: Search, goesOn?: boolean): readonly Found[] {
  const found = scan(text, wanted, allow, goesOn);
  const folded = foldedText(text);
  if (folded === undefined) return found;
  const read = scan(folded.text, wanted, allow, goesOn).map(({ category, start, end }) => ({
    category,
    start: folded.origin(start),
    end: folded.end(end),
  }));
  return merged([...found, ...read]);
}

export function editsOf(input: CheckInput, findings: readonly Finding[], replace: Replace): readonly Edit[] {
  return findings.map(({ category, textIndex, start, end }) => {
    const value = input.texts[textIndex]?.text.slice(start, end) ?? '';
    // Equal values have equal hashes, however they are written.
    return { text: textIndex, start, end, with: replace(category, foldedText(value)?.text ?? value) };
  });
}

/** Where which kind was found, never what: the first 500 places, and how many of each kind there are in all. */
export function shown(findings: readonly Finding[]): JsonObject {
  const entities = findings
    .slice(0, mostListed)
    .map(({ category, textIndex, start, end }) => ({ category, textIndex, start, end }));
  return { entities, counts: countsOf(findings.filter(({ continues }) => continues !== true)) };
}

/** How many there are of each kind. */
export function countsOf(found: readonly Found[]): JsonObject {
  const counts: Partial<Record<Category, number>> = {};
  for (const { category } of found) counts[category] = (counts[category] ?? 0) + 1;
  return { ...counts };
}
