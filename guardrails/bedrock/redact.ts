import { asObjects, asString, type Edit, editsBetween, type JsonObject, type ScannedText } from 'portcullis/sdk';
import type { Finding } from './assessment.ts';

/**
 * The edits that take sensitive information out of a text. Where the guardrail masks all of it, its own text counts; what
 * it would block, it does not mask. Undefined: something that was found does not stand in the text.
 */
export function redactions(
  text: ScannedText,
  findings: readonly Finding[],
  reply: JsonObject,
): readonly Edit[] | undefined {
  const masked = asString(asObjects(reply.outputs)[0]?.text);
  if (masked !== undefined && findings.every(({ action }) => action === 'ANONYMIZED'))
    return masked === text.text ? undefined : editsBetween(text.index, text.text, masked);
  const edits = findings.map(({ name, match }) => everywhere(text, match ?? '', `{${name}}`));
  return edits.some((found) => found.length === 0) ? undefined : edits.flat();
}

function everywhere({ index, text }: ScannedText, match: string, replacement: string): Edit[] {
  if (match === '') return [];
  const parts = text.split(match);
  return parts.slice(0, -1).map((_, at) => {
    const start = parts.slice(0, at + 1).join(match).length;
    return { text: index, start, end: start + match.length, with: replacement };
  });
}
