import { baseColumns, type JsonObject, type Migration, type StoredRecord } from 'portcullis/sdk';

export interface ModelPriceRecord extends StoredRecord {
  readonly provider: string;
  readonly model: string;
  /** Epoch milliseconds. */
  readonly effective_from: number;
  /** As in the catalogue, without its moment. */
  readonly price: JsonObject;
}

export const migrations: readonly Migration[] = [
  {
    name: '001_model_prices',
    async up(db) {
      await db.schema.createTable('model_prices', (columns) => {
        baseColumns(columns);
        columns.string('provider', 64).notNullable();
        columns.string('model', 255).notNullable();
        columns.bigInteger('effective_from').notNullable();
        columns.unique(['organisation_id', 'provider', 'model', 'effective_from'], { indexName: 'model_prices_from' });
      });
    },
  },
];
