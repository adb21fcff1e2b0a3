import type { AnyCheck, CheckInput, Edit, Verdict } from '../contracts/guardrail.ts';
import { applyEdits, type TextEdit } from '../guardrails/edits.ts';

export const maxDataBytes = 65_536;

/** What is wrong with a verdict, a sentence's end each; empty when the runner accepts it. */
export function verdictFaults(check: Pick<AnyCheck, 'edits'>, input: CheckInput, verdict: Verdict): readonly string[] {
  if (typeof verdict !== 'object' || verdict === null || typeof verdict.pass !== 'boolean')
    return ['must be an object whose pass is true or false'];
  const { pass, why, data, edits: given = [], ...others } = verdict;
  const edits: readonly Edit[] = Array.isArray(given) ? given : [];
  const json = data === undefined ? '' : jsonOf(data);
  const rules: readonly [boolean, string][] = [
    [Object.keys(others).length > 0, `holds what no verdict has: ${Object.keys(others).join(', ')}`],
    [why !== undefined && typeof why !== 'string', 'has a why that is no string'],
    [json === undefined, 'has data that are no JSON'],
    [Buffer.byteLength(json ?? '') > maxDataBytes, `has more than ${maxDataBytes} bytes of data`],
    [edits !== given, 'has edits that are no list'],
    [edits.length > 0 && check.edits === undefined, 'holds edits, which the check does not declare'],
    [check.edits === 'only' && !pass, 'does not pass, though the check only edits'],
  ];
  const broken = rules.filter(([applies]) => applies).map(([, text]) => text);
  return [
    ...broken,
    ...edits.flatMap((edit, index) => editFaults(edit, input).map((why) => `has edits[${index}], ${why}`)),
  ];
}

/** The text of data that are JSON and stay the same by going through it. */
function jsonOf(data: unknown): string | undefined {
  try {
    const text = JSON.stringify(data);
    return isJson(data, 0) ? text : undefined;
  } catch {
    // It goes in circles, or holds what cannot be written.
    return undefined;
  }
}

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > 100) return false;
  const plain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
  return plain && Object.values(value).every((member) => isJson(member, depth + 1));
}

function editFaults(edit: Edit, { texts, images }: CheckInput): readonly string[] {
  if (typeof edit !== 'object' || edit === null) return ['which is no object'];
  if ('text' in edit) {
    const text = texts[edit.text]?.text;
    if (text === undefined) return [`which names text ${edit.text} of ${texts.length}`];
    const within = Number.isInteger(edit.start) && Number.isInteger(edit.end) && edit.start >= 0;
    if (!within || edit.start > edit.end || edit.end > text.length)
      return [`which goes from ${edit.start} to ${edit.end} in a text of ${text.length} units`];
    return typeof edit.with === 'string' ? [] : ['whose with is no string'];
  }
  if ('image' in edit)
    return images[edit.image] === undefined ? [`which names image ${edit.image} of ${images.length}`] : [];
  return typeof edit.add === 'string' ? [] : ['whose add is no string'];
}

/**
 * The texts after the edits of a verdict. What is added to a message stands in its first or last text; a message that is
 * made stands first for `system`, else beside the first one of its role, and last where there is none.
 */
export function editedTexts({ texts }: CheckInput, { edits = [] }: Verdict): readonly string[] {
  const result = texts.map(({ index, text, role, message }) => {
    const own = edits.filter((edit): edit is TextEdit & { text: number } => 'text' in edit && edit.text === index);
    return { role, message, text: applyEdits(text, own) };
  });
  for (const edit of edits) {
    if (!('message' in edit)) continue;
    const first = result.find(({ role }) => role === edit.message);
    const parts = first === undefined ? [] : result.filter(({ message }) => message === first.message);
    const place = edit.at === 'start' ? first : parts.at(-1);
    if (place === undefined ? edit.create !== false : edit.apart === true) {
      const beside = place === undefined ? result.length : result.indexOf(place) + (edit.at === 'start' ? 0 : 1);
      const made = { role: edit.message, message: -1, text: edit.add };
      result.splice(edit.message === 'system' ? 0 : beside, 0, made);
    } else if (place !== undefined) {
      place.text = edit.at === 'start' ? edit.add + place.text : place.text + edit.add;
    }
  }
  return result.map(({ text }) => text);
}
