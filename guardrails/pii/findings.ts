import type { CheckInput, Edit, JsonObject } from 'portcullis/sdk';
import type { Category, Found } from './categories.ts';
import type { Search } from './parameters.ts';
import type { Replace } from './replacement.ts';
import { scan } from './scan.ts';

const mostListed = 500;

/** A finding in one of the texts. */
export interface Finding extends Found {
  readonly textIndex: number;
}

export function findingsIn(input: CheckInput, { wanted, allow }: Search): readonly Finding[] {
  const findings: Finding[] = [];
  for (const { index, text, goesOn } of input.texts) {
    for (const found of scan(text, wanted, allow, goesOn)) findings.push({ ...found, textIndex: index });
  }
  return findings;
}

export function editsOf(input: CheckInput, findings: readonly Finding[], replace: Replace): readonly Edit[] {
  return findings.map(({ category, textIndex, start, end }) => {
    const value = input.texts[textIndex]?.text.slice(start, end) ?? '';
    return { text: textIndex, start, end, with: replace(category, value) };
  });
}

/** Where which kind was found, never what: the first 500 places, and how many of each kind there are in all. */
export function shown(findings: readonly Finding[]): JsonObject {
  const entities = findings
    .slice(0, mostListed)
    .map(({ category, textIndex, start, end }) => ({ category, textIndex, start, end }));
  const counts: Partial<Record<Category, number>> = {};
  for (const { category } of findings) counts[category] = (counts[category] ?? 0) + 1;
  return { entities, counts: { ...counts } };
}
