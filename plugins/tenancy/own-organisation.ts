import type { Operation, StoredRecord } from 'portcullis/sdk';

const known = new WeakMap<Operation, Promise<StoredRecord>>();

/** The organisation that the operation acts in, read once for each. */
export function ownOrganisation(operation: Operation): Promise<StoredRecord> {
  const reading = known.get(operation) ?? readOrganisation(operation);
  known.set(operation, reading);
  return reading;
}

/** The same, as it is now. */
export function readOrganisation({ records, scope: { organisationId } }: Operation): Promise<StoredRecord> {
  return records('organisations').get({ organisationId }, organisationId);
}
