interface Keywords {
  readonly accepts?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Keywords[];
  readonly oneOf?: readonly Keywords[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
};

/** "a, b or c". */
export function anyOfList(phrases: readonly string[]): string {
  return phrases.length < 2
    ? (phrases[0] ?? 'another value')
    : `${phrases.slice(0, -1).join(', ')} or ${phrases.at(-1)}`;
}

/** The noun phrase for what a schema takes: "an integer from 0 to 65535", "trusted or sandboxed". */
export function accepted(schema: object): string {
  const keywords = schema as Keywords;
  if (keywords.accepts !== undefined) return keywords.accepts;
  if (keywords.enum !== undefined) return anyOfList(keywords.enum.map(String));
  if (keywords.const !== undefined) return String(keywords.const);
  const forms = keywords.anyOf ?? keywords.oneOf;
  if (forms !== undefined) return anyOfList(forms.map((form) => accepted(form)));
  const types = typeof keywords.type === 'string' ? [keywords.type] : (keywords.type ?? []);
  return anyOfList(types.map((type) => sized(type, keywords)));
}

function sized(type: string, keywords: Keywords): string {
  const noun = nouns[type] ?? type;
  if (type === 'integer' || type === 'number') return bounded(noun, keywords.minimum, keywords.maximum, '');
  if (type === 'array') return bounded(noun, keywords.minItems, keywords.maxItems, ' items');
  if (type === 'object') return bounded(noun, keywords.minProperties, keywords.maxProperties, ' entries');
  if (type !== 'string') return noun;
  const text = bounded(noun, keywords.minLength, keywords.maxLength, ' characters');
  return keywords.pattern === undefined ? text : `${text} that matches ${keywords.pattern}`;
}

function bounded(noun: string, least: number | undefined, most: number | undefined, unit: string): string {
  const word = unit === '' ? 'from' : 'of';
  if (least !== undefined && most !== undefined) return `${noun} ${word} ${least} to ${most}${unit}`;
  if (least !== undefined) return `${noun} of at least ${least}${unit}`;
  return most === undefined ? noun : `${noun} of at most ${most}${unit}`;
}
