import type { Report } from '../categories.ts';

/** A secret that is told by what stands before it, across marks that end other tokens. */
interface Led {
  readonly lead: RegExp;
  readonly longestLead: number;
  readonly body: RegExp;
  /** What a body may begin with. */
  readonly begun: RegExp;
  /** Whether what stands before it is no secret: the address that it belongs to. */
  readonly apart: boolean;
}

const longestBody = 90;

const forms: readonly Led[] = [
  // SendGrid.
  { lead: /(?<!\w)SG\.[\w-]{22}\.$/, longestLead: 27, body: /^[\w-]{43}$/, begun: /^[\w-]{0,43}$/, apart: false },
  // Incoming webhooks of Slack and Discord: who knows the address may write there.
  {
    lead: /\/hooks\.slack\.com\/(?:services|workflows)\/T\w{8,12}\/[AB]\w{8,12}\/(?:\d{15,20}\/)?$/,
    longestLead: 90,
    body: /^[A-Za-z0-9]{20,32}$/,
    begun: /^[A-Za-z0-9]{1,32}$/,
    apart: true,
  },
  {
    lead: /\/discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/$/,
    longestLead: 60,
    body: /^[\w-]{60,90}$/,
    begun: /^[\w-]{1,90}$/,
    apart: true,
  },
];

/** @param start where the last part begins, which ends at `end` */
export function findAfterLead(text: string, start: number, end: number, report: Report): boolean {
  const secret = ledSecret(text, start, end, 'body');
  if (secret === undefined) return false;
  report('SECRET', secret, end);
  return true;
}

/** Where a secret begins that is told by what stands before it, and that goes on to the end of the text. */
export function cutOffAfterLead(text: string): number | undefined {
  const [run = ''] = /[\w-]*$/.exec(text.slice(-longestBody)) ?? [];
  return ledSecret(text, text.length - run.length, text.length, 'begun');
}

/** Where the secret begins whose last part is this one. */
function ledSecret(text: string, start: number, end: number, part: 'body' | 'begun'): number | undefined {
  const mark = text.charAt(start - 1);
  if (mark !== '.' && mark !== '/') return undefined;
  const token = text.slice(start, end);
  for (const form of forms) {
    if (!form[part].test(token)) continue;
    const lead = form.lead.exec(text.slice(Math.max(0, start - form.longestLead), start));
    if (lead !== null) return form.apart ? start : start - lead[0].length;
  }
  return undefined;
}
