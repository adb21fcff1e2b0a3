import { schema } from 'portcullis/sdk';

/** The parameter `apiVersion`, with the version that serves when it is not given. */
export function apiVersion(standard: string) {
  return schema.String({ default: standard, pattern: '^\\d{4}-\\d{2}-\\d{2}(-preview)?$' });
}
