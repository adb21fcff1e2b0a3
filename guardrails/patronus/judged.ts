import { type CheckHost, type CheckInput, check, GatewayError, schema, type Verdict } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { type Evaluator, evaluate, timeoutMs } from './evaluate.ts';

/** A row of the table of checks. */
export interface Judged extends Evaluator {
  readonly title: string;
  /** What is said of an answer that fails. */
  readonly fault: string;
  /** Whether the answer is held against what it was to be made of: system messages and results of tools. */
  readonly grounded?: boolean;
  /** Whether it asks for what an answer is as a whole, so that a piece of one tells nothing. */
  readonly whole?: boolean;
}

/** A check that leaves the verdict on an answer to one evaluator. */
export function judged({ title, fault, grounded = false, whole = false, ...evaluator }: Judged) {
  return check({
    title,
    config: schema.Object({}, { additionalProperties: false }),
    phases: ['afterRequest'],
    whole,
    remote: { timeoutMs },
    run: (input, _config, host: CheckHost<Credentials>) => judge(host, evaluator, fault, input, grounded),
  });
}

/** An answer without a word, such as a call of a tool that takes no arguments, has nothing to be judged by. */
export async function judge(
  host: CheckHost<Credentials>,
  evaluator: Evaluator,
  fault: string,
  { prompt, content, turns }: CheckInput,
  grounded = false,
): Promise<Verdict> {
  if (content.trim() === '') return { pass: true };
  const context = grounded ? contextOf(turns) : undefined;
  const sample = { output: content, input: prompt, ...(context === undefined ? {} : { context }) };
  const { pass, data } = await evaluate(host, evaluator, sample);
  return pass ? { pass, data } : { pass, why: fault, data };
}

function contextOf(turns: CheckInput['turns']): readonly string[] {
  const context = turns.filter(({ role, text }) => (role === 'system' || role === 'tool') && text.trim() !== '');
  if (context.length > 0) return context.map(({ text }) => text);
  const text = 'There is nothing to hold the answer against: no system message and no result of a tool.';
  throw new GatewayError('check_failed', text);
}
