/** The entry of a table under a word from outside; words such as `constructor`, which every object inherits, find nothing. */
export function lookup<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
