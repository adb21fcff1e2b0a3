import type { SlugRule } from 'portcullis/sdk';

/** `Shared Team` -> `ws-shared-e2a85b`: the prefix, some of the name, and the last six hexadecimal digits of a new id: its first ones are the time. */
export function slugFor({ prefix, length = 6 }: SlugRule, name: string, newId: () => string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, length)
    .replace(/-+$/, '');
  const tail = newId().slice(-6);
  return [prefix, words, tail].filter((part) => part !== '').join('-');
}
