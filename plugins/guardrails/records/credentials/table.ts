import type { Records, StoredRecord } from 'portcullis/sdk';

/** What an organisation has stored for the vendor of a guardrail unit; the credentials themselves are sealed. */
export interface CredentialsRecord extends StoredRecord {
  readonly unit: string;
}

export async function credentialsOf(
  records: Pick<Records, 'list'>,
  organisationId: string,
  unit: string,
): Promise<CredentialsRecord | undefined> {
  const { records: found } = await records.list({ organisationId }, { where: { unit }, pageSize: 1 });
  return found[0] as CredentialsRecord | undefined;
}
