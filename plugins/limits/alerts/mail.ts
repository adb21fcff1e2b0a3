import { type ControlHost, type Mail, nextReset, type Operation } from 'portcullis/sdk';
import { amountWords } from '../limit/amount-words.ts';
import type { Measure } from '../limit/meter.ts';
import type { AlertRow } from '../records/tables.ts';
import { recipientsOf } from './recipients.ts';
import type { Subject } from './subjects.ts';

/** Of one mail: mail servers refuse those with more. */
const mostRecipients = 100;

/** What has been used, in US dollars, tokens or requests. */
export interface Usage {
  readonly used: number;
  /** Of a policy, as people read it; undefined for all else. */
  readonly group: string | undefined;
}

/** Has people told, once the transaction has been committed. */
export async function tell(
  operation: Operation,
  host: Pick<ControlHost, 'mails'>,
  subject: Subject,
  kind: AlertRow['kind'],
  usage: Usage,
): Promise<void> {
  if (!host.mails) return;
  const { people, named } = await recipientsOf(operation, subject);
  const notice = noticeOf(subject, kind, usage, operation.now);
  for (const group of [people, named]) {
    for (let from = 0; from < group.length; from += mostRecipients) {
      await operation.mail({ to: group.slice(from, from + mostRecipients), ...notice });
    }
  }
}

export function noticeOf(
  { title, aside, limits }: Subject,
  kind: AlertRow['kind'],
  { used, group }: Usage,
  now: number,
): Pick<Mail, 'subject' | 'text'> {
  const whose = group === undefined ? title : `${title} for ${oneLine(group)}`;
  const end = nextReset(limits, now)?.replace('.000Z', 'Z');
  const ends = end === undefined ? 'It is not reset by itself.' : `It is reset at ${end}.`;
  const limit = limits.credit_limit == null ? 'no limit' : amount(limits.type, Number(limits.credit_limit));
  // One request may cross both, and one look then tells of both.
  const isUsedUp = limits.credit_limit != null && used >= Number(limits.credit_limit);
  const served = isUsedUp ? 'The limit is used up too: requests are refused.' : 'Requests go on being served.';
  const text =
    kind === 'exhausted'
      ? [
          `${whose} has used up its usage limit: ${amount(limits.type, used)} of ${limit}.`,
          'Requests are refused until the limit is raised or reset.',
          ends,
        ]
      : [
          `${whose} has used ${amount(limits.type, used)} of ${limit}.`,
          `This reaches its alert threshold, ${amount(limits.type, Number(limits.alert_threshold))}. ${served}`,
          ends,
        ];
  const what = kind === 'exhausted' ? 'has used up its usage limit' : 'has reached its alert threshold';
  return { subject: oneLine(`${title} ${what}`), text: [...text, ...aside].join('\n') };
}

function amount(type: unknown, value: number): string {
  return type === 'cost' ? `$${value.toFixed(2)}` : amountWords(type as Measure, Math.round(value));
}

/** Names and metadata are people's own; a header of a mail is one line. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 300);
}
