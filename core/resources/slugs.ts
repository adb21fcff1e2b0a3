import type { SlugRule } from 'portcullis/sdk';

/** `Shared Team` -> `ws-shared-e2a85b`: the prefix, some of the name, and six hexadecimal digits of a new id. */
export function slugFor({ prefix, length = 6 }: SlugRule, name: string, newId: () => string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, length)
    .replace(/-+$/, '');
  const tail = newId().replaceAll('-', '').slice(0, 6);
  return [prefix, words, tail].filter((part) => part !== '').join('-');
}
