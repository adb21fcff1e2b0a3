import type { SecretReferenceEntry } from 'portcullis/sdk';

/** As the loader gives it: with the workspaces that may use it. Absent: all of the organisation. */
export interface ReferenceEntry extends SecretReferenceEntry {
  readonly workspaces?: readonly string[];
}
