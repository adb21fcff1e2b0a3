import type { Json } from 'portcullis/sdk';

/** A value as it is inserted: unescaped; nothing for null; an array as its items with commas between them. */
export function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) ? value.map(itemText).join(',') : JSON.stringify(value);
}

function itemText(item: Json): string {
  return typeof item === 'object' && item !== null ? JSON.stringify(item) : textOf(item);
}
