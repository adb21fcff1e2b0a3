import type { ControlHost, Mail, Operation } from 'portcullis/sdk';
import { concernedBy } from './people.ts';
import type { KeyRecord } from './record.ts';

/** Tells people, once the transaction has been committed. No mail holds a secret, for mail is read by many. */
export async function tell(
  operation: Operation,
  host: Pick<ControlHost, 'mails'>,
  key: KeyRecord,
  notice: Pick<Mail, 'subject' | 'text'>,
): Promise<void> {
  if (!host.mails) return;
  const { people, named } = await concernedBy(operation, key);
  for (const group of [people, named]) {
    for (let from = 0; from < group.length; from += mostRecipients) {
      await operation.mail({ to: group.slice(from, from + mostRecipients), ...notice });
    }
  }
}

/** Of one mail: mail servers refuse those with more. */
const mostRecipients = 100;

const moment = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');

/** @param publicUrl where people reach the gateway, '' when that is not known */
export function rotationAhead(key: KeyRecord, at: number, publicUrl: string): Pick<Mail, 'subject' | 'text'> {
  return {
    subject: `The API key "${key.name}" will be rotated`,
    text: [
      `The API key "${key.name}" (${key.key}) gets a new secret at ${moment(at)}.`,
      `From then on the new secret can be fetched, once, with POST ${publicUrl}/v1/api-keys/${key.id}/rotated-secret,`,
      'by whoever may rotate the key, or with the key itself. The present secret works on for the time of transition.',
    ].join('\n'),
  };
}

export function oldSecretEnds(key: KeyRecord, at: number): Pick<Mail, 'subject' | 'text'> {
  return {
    subject: `The earlier secret of the API key "${key.name}" ends`,
    text: [
      `The API key "${key.name}" has been rotated. Its earlier secret ends at ${moment(at)}.`,
      `What still uses it will be refused then; the present secret is ${key.key}.`,
    ].join('\n'),
  };
}
