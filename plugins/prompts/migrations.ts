import type { Migration } from 'portcullis/sdk';
import { collectionMigrations } from './collections/table.ts';
import { labelMigrations } from './labels/table.ts';
import { promptMigrations } from './records/table.ts';
import { sharingMigrations } from './sharing/table.ts';

export const migrations: readonly Migration[] = [
  ...promptMigrations,
  ...collectionMigrations,
  ...labelMigrations,
  ...sharingMigrations,
];
