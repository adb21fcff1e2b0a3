import {
  asArray,
  type CheckHost,
  check,
  type Edit,
  GatewayError,
  type JsonObject,
  type ScannedText,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { evaluate, timeoutMs } from './evaluate.ts';

const maxTexts = 32;

/** A check for entities of one kind, which says where they stand. */
export function entities(evaluator: 'pii' | 'phi', title: string, what: string) {
  return check({
    title,
    config: schema.Object(
      { redact: schema.Boolean({ default: false, description: 'Takes out what is found, and passes.' }) },
      { additionalProperties: false },
    ),
    phases: ['afterRequest'],
    edits: 'may',
    remote: { timeoutMs },
    async run({ texts }, { redact }, host: CheckHost<Credentials>) {
      const filled = texts.filter(({ text }) => text.trim() !== '');
      if (filled.length > maxTexts)
        throw new GatewayError(
          'check_failed',
          `The check asks about ${maxTexts} texts at most; here are ${filled.length}.`,
        );
      const asked = filled.map(async (text) => ({
        text,
        ...(await evaluate(host, { evaluator }, { output: text.text })),
      }));
      const failed = (await Promise.all(asked)).filter(({ pass }) => !pass);
      const data = { evaluator, texts: failed.map(({ text }) => text.index) };
      if (failed.length === 0) return { pass: true, data };
      if (redact) return { pass: true, data, edits: failed.flatMap(({ text, details }) => redactions(text, details)) };
      return { pass: false, why: `There is ${what} in the answer.`, data };
    },
  });

  function redactions({ index, text }: ScannedText, { positions }: JsonObject): Edit[] {
    const characters = [...text];
    const unitsTo = (position: number) => characters.slice(0, position).join('').length;
    const edits = asArray(positions).map((position) => {
      const [start, end] = asArray(position);
      const inside = typeof start === 'number' && typeof end === 'number' && start >= 0 && start < end;
      if (!inside || end > characters.length)
        throw new GatewayError('check_failed', `Patronus has found ${what} at a position outside the text.`);
      return { text: index, start: unitsTo(start), end: unitsTo(end), with: `[${evaluator.toUpperCase()}]` };
    });
    if (edits.length > 0) return edits;
    throw new GatewayError('check_failed', `Patronus has found ${what} without saying where.`);
  }
}
