import { fileSchema } from './file-schema.ts';

/** The text of `core/config/portcullis.schema.json`, for editors that check portcullis.yaml while it is written. */
export function schemaFileText(): string {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'portcullis.yaml', ...fileSchema };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
