import type { ControlHost, Operation, StoredRecord } from 'portcullis/sdk';
import { ownOrganisation } from '../own-organisation.ts';

/** Sends the link; without a mail server the caller of the API passes it on. */
export async function mailLink(
  operation: Operation,
  invite: StoredRecord,
  link: string,
  host: ControlHost,
): Promise<void> {
  if (!host.mails) return;
  // A name with line breaks would end the subject.
  const name = String((await ownOrganisation(operation)).name).replace(/\s+/g, ' ');
  await operation.mail({
    to: [String(invite.email)],
    subject: `You are invited to ${name}`,
    text: `You are invited to join ${name}.\n\nOpen this link within 7 days to accept:\n${link}\n\nIf you do not expect this, there is nothing to do.\n`,
  });
}
