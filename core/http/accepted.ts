interface SchemaFacts {
  readonly type?: string | readonly string[];
  readonly accepts?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: { readonly type?: unknown };
}

function listed(phrases: readonly string[]): string {
  if (phrases.length < 2) return phrases[0] ?? 'another value';
  return `${phrases.slice(0, -1).join(', ')} or ${phrases.at(-1)}`;
}

function range(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most} `;
  if (least !== undefined) return `at least ${least} `;
  return most === undefined ? '' : `at most ${most} `;
}

function within(noun: string, { minimum, maximum }: SchemaFacts): string {
  const bounds = range(minimum, maximum).trimEnd();
  if (bounds === '') return noun;
  return `${noun} ${minimum !== undefined && maximum !== undefined ? 'from' : 'of'} ${bounds}`;
}

function sized(noun: string, least: number | undefined, most: number | undefined, unit: string): string {
  const amount = range(least, most);
  if (amount === '' && unit !== 'string' && unit !== 'object') return noun;
  return `${noun} of ${amount}${(most ?? least) === 1 ? unit : `${unit}s`}`;
}

function itemNoun({ items }: SchemaFacts): string {
  return typeof items?.type === 'string' ? items.type : 'item';
}

function phrase(type: string, facts: SchemaFacts): string {
  if (type === 'number') return within('a number', facts);
  if (type === 'integer') return within('an integer', facts);
  if (type === 'boolean') return 'true or false';
  if (type === 'string') return sized('a string', facts.minLength, facts.maxLength, 'character');
  if (type === 'array') return sized('an array', facts.minItems, facts.maxItems, itemNoun(facts));
  if (type === 'object') return sized('an object', undefined, facts.maxProperties, 'key');
  return type;
}

/**
 * The noun phrase for what a schema takes: "a number from 0 to 2", "an array of 1 to 4 strings or null". Null is left
 * out when `withNull` is false, where it would only distract from the bound that was missed.
 */
export function accepted(schema: object, withNull: boolean): string {
  const facts = schema as SchemaFacts;
  if (facts.accepts !== undefined) return facts.accepts;
  if (facts.enum !== undefined) return listed(facts.enum.map((word) => JSON.stringify(word)));
  const types = typeof facts.type === 'string' ? [facts.type] : (facts.type ?? []);
  return listed(types.filter((type) => withNull || type !== 'null').map((type) => phrase(type, facts)));
}
