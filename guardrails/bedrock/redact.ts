import { asObjects, asString, type Edit, editsBetween, type JsonObject, type TextEdit } from 'portcullis/sdk';
import type { Finding } from './assessment.ts';
import type { Part } from './batches.ts';

/**
 * The edits that take sensitive information out of what was sent of a text. Where the guardrail masks all of it, its own text counts; what
 * it would block, it does not mask. Undefined: something that was found does not stand in the text.
 */
export function redactions(part: Part, findings: readonly Finding[], reply: JsonObject): readonly Edit[] | undefined {
  const masked = asString(asObjects(reply.outputs)[0]?.text);
  if (masked !== undefined && findings.every(({ action }) => action === 'ANONYMIZED'))
    return masked === part.text ? undefined : placed(part, editsBetween(part.index, part.text, masked));
  const edits = findings.map(({ name, match }) => everywhere(part.text, match ?? '', `{${name}}`));
  return edits.some((found) => found.length === 0) ? undefined : placed(part, edits.flat());
}

/** As edits of the whole text. */
function placed({ index, start: from }: Part, edits: readonly TextEdit[]): readonly Edit[] {
  return edits.map(({ start, end, with: replacement }) => ({
    text: index,
    start: from + start,
    end: from + end,
    with: replacement,
  }));
}

function everywhere(text: string, match: string, replacement: string): TextEdit[] {
  if (match === '') return [];
  const parts = text.split(match);
  return parts.slice(0, -1).map((_, at) => {
    const start = parts.slice(0, at + 1).join(match).length;
    return { start, end: start + match.length, with: replacement };
  });
}
