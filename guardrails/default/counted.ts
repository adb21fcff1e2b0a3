import { type Check, check, compact, schema } from 'portcullis/sdk';
import { notParameter, strict, unusable } from './parameters.ts';
import { judged } from './verdict.ts';

interface Counted {
  readonly title: string;
  readonly description: string;
  /** As it stands in the data: `wordCount`. */
  readonly name: string;
  /** What is counted: `words`. */
  readonly things: string;
  /** Names of the parameters. */
  readonly least: string;
  readonly most: string;
  readonly count: (text: string) => number;
}

interface Range {
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly not: boolean;
}

const most = 100_000_000;

/** A check whether the number of something lies in a range. */
export function countCheck({ title, description, name, things, ...given }: Counted): Check {
  const bound = (what: string) => schema.Optional(schema.Integer({ minimum: 0, maximum: most, description: what }));
  return check({
    title,
    description,
    config: schema.Object(
      {
        [given.least]: bound(`How many ${things} there must be at least.`),
        [given.most]: bound(`How many ${things} there may be at most.`),
        not: notParameter,
      },
      strict,
    ),
    phases: ['beforeRequest', 'afterRequest'],
    prepare: (config) => rangeOf(config as Readonly<Record<string, unknown>>, given),
    run({ content }, range) {
      const number = given.count(content);
      const holds = number >= (range.least ?? 0) && number <= (range.most ?? Number.POSITIVE_INFINITY);
      const data = compact({ [name]: number, [given.least]: range.least, [given.most]: range.most });
      const explanation = `${number} ${things}; ${range.not ? 'not allowed' : 'allowed'} ${rangeText(range)}`;
      return judged({ holds, not: range.not, explanation, text: content, data });
    },
  }) as Check;
}

function rangeOf(config: Readonly<Record<string, unknown>>, names: Pick<Counted, 'least' | 'most'>): Range {
  const number = (name: string) => (typeof config[name] === 'number' ? config[name] : undefined);
  const range = { least: number(names.least), most: number(names.most), not: config.not === true };
  if (range.least === undefined && range.most === undefined)
    throw unusable(names.least, `Give ${names.least}, ${names.most} or both.`);
  if (range.least !== undefined && range.most !== undefined && range.least > range.most)
    throw unusable(names.most, `${names.most} must be ${names.least} or more, which is ${range.least}.`);
  return range;
}

function rangeText({ least, most }: Range): string {
  if (most === undefined) return `${least} or more`;
  return least === undefined ? `up to ${most}` : `${least} to ${most}`;
}
