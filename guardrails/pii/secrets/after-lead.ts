import type { Report } from '../categories.ts';

/** A secret that is told by what stands before it, across marks that end other tokens. */
interface Led {
  readonly lead: RegExp;
  readonly longestLead: number;
  readonly body: RegExp;
  /** Whether what stands before it is no secret: the address that it belongs to. */
  readonly apart: boolean;
}

const forms: readonly Led[] = [
  // SendGrid.
  { lead: /(?<!\w)SG\.[\w-]{22}\.$/, longestLead: 27, body: /^[\w-]{43}$/, apart: false },
  // Incoming webhooks of Slack, Discord and Microsoft Teams: who knows the address may write there.
  {
    lead: /\/hooks\.slack\.com\/(?:services|workflows)\/T\w{8,12}\/[AB]\w{8,12}\/(?:\d{15,20}\/)?$/,
    longestLead: 90,
    body: /^[A-Za-z0-9]{20,32}$/,
    apart: true,
  },
  {
    lead: /\/discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/$/,
    longestLead: 60,
    body: /^[\w-]{60,90}$/,
    apart: true,
  },
];

/** @param start where the last part begins, which ends at `end` */
export function findAfterLead(text: string, start: number, end: number, report: Report): boolean {
  const mark = text.charAt(start - 1);
  if (mark !== '.' && mark !== '/') return false;
  const token = text.slice(start, end);
  for (const { lead, longestLead, body, apart } of forms) {
    if (!body.test(token)) continue;
    const found = lead.exec(text.slice(Math.max(0, start - longestLead), start));
    if (found === null) continue;
    report('SECRET', apart ? start : start - found[0].length, end);
    return true;
  }
  return false;
}

/** Where a key of two parts begins that goes on to the end of the text. */
export function cutOffParts(text: string): number | undefined {
  const found = /(?<!\w)SG\.[\w-]{22}\.[\w-]{0,43}$/.exec(text.slice(-80));
  return found === null ? undefined : text.length - found[0].length;
}
