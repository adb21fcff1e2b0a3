import {
  type Operation,
  placeOfRequests,
  providerWarning,
  type StoredRecord,
  type Warning,
  warningsIn,
} from 'portcullis/sdk';
import type { PromptContent } from './content.ts';

/** `warnings` of a reply about a new version: prompts may be saved before the provider that they name. */
export async function warningsOf(
  operation: Operation,
  record: StoredRecord,
  { virtual_key: slug }: PromptContent,
): Promise<{ readonly warnings?: readonly Warning[] }> {
  const warning = await providerWarning(operation, placeOfRequests(record), slug, 'virtual_key');
  return warningsIn(warning === undefined ? [] : [warning]);
}
