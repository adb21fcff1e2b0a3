import { type Check, check, compact, type JsonObject, schema } from 'portcullis/sdk';
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
  /** Those of the bounds that are given, by the names of the parameters. */
  readonly bounds: JsonObject;
  readonly text: string;
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
    whole: true,
    prepare: (config) => rangeOf(config as Readonly<Record<string, unknown>>, given),
    run({ content }, range) {
      const number = given.count(content);
      const holds = number >= (range.least ?? 0) && number <= (range.most ?? Number.POSITIVE_INFINITY);
      const explanation = `${number} ${things}; ${range.text}`;
      return judged({ holds, not: range.not, explanation, text: content, data: { [name]: number, ...range.bounds } });
    },
  }) as Check;
}

function rangeOf(config: Readonly<Record<string, unknown>>, names: Pick<Counted, 'least' | 'most'>): Range {
  const number = (name: string) => (typeof config[name] === 'number' ? config[name] : undefined);
  const [least, most, not] = [number(names.least), number(names.most), config.not === true];
  if (least === undefined && most === undefined)
    throw unusable(names.least, `Give ${names.least}, ${names.most} or both.`);
  if (least !== undefined && most !== undefined && least > most)
    throw unusable(names.most, `${names.most} must be ${names.least} or more, which is ${least}.`);
  const bounds = compact({ [names.least]: least, [names.most]: most });
  return { least, most, not, bounds, text: `${not ? 'not allowed' : 'allowed'} ${rangeText(least, most)}` };
}

function rangeText(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return `${least} or more`;
  return least === undefined ? `up to ${most}` : `${least} to ${most}`;
}
