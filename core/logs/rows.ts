import type { LogRow } from 'portcullis/sdk';
import { type LogColumn, logColumns, metadataNameLength, metadataValueLength } from './columns.ts';

export type Stored = string | number | null | Uint8Array;
export type StoredRow = Readonly<Record<string, unknown>>;

/** Most integers that a store gives back as they are. */
const largest = Number.MAX_SAFE_INTEGER;

/** The values of a row in the order of `logColumns`: texts within their bounds, flags as 0 and 1, JSON as text. */
export function storedValues(row: LogRow): Stored[] {
  return logColumns.map((column) => storedValue(row[column.field], column));
}

/** A value within its bounds. */
export function storedValue(
  value: LogRow[keyof LogRow] | undefined,
  { type, length = 0, nullable = false }: LogColumn,
): Stored {
  switch (type) {
    case 'text':
    case 'name':
      if (value === null || value === undefined) return nullable ? null : '';
      return clip(String(value), length);
    case 'integer':
      if (value === null || value === undefined) return nullable ? null : 0;
      return finite(Math.round(Number(value)));
    case 'real':
      return finite(Number(value));
    case 'flag':
      return value === true ? 1 : 0;
    case 'json':
      return JSON.stringify(value);
  }
}

/** The row of what a store gave for `logColumns`. */
export function rowOf(stored: StoredRow): LogRow {
  const row: Record<string, unknown> = {};
  for (const { column, field, type, nullable } of logColumns) {
    const value = stored[column] ?? null;
    row[field] = value === null && nullable ? null : loaded(value, type);
  }
  return row as unknown as LogRow;
}

function loaded(value: unknown, type: LogColumn['type']): unknown {
  switch (type) {
    case 'text':
    case 'name':
      return String(value);
    case 'integer':
    case 'real':
      return Number(value);
    case 'flag':
      return Number(value) === 1;
    case 'json':
      return typeof value === 'string' ? JSON.parse(value) : value;
  }
}

/** Names and values of the metadata within their bounds, as they are looked for. */
export function metadataPairs({ metadata }: Pick<LogRow, 'metadata'>): readonly (readonly [string, string])[] {
  const pairs = new Map<string, string>();
  for (const name in metadata) {
    pairs.set(clip(name, metadataNameLength), clip(String(metadata[name]), metadataValueLength));
  }
  return [...pairs];
}

/** Cut to so many UTF-16 units, never between the halves of a character. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}

function finite(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(value, -largest), largest);
}
