import { linearPattern } from 'portcullis/sdk';

interface Expression {
  /** How much time it may take, beside others. */
  readonly cost: number;
  test(text: string): boolean;
  /** Validators tell expressions apart by it. */
  toString(): string;
}

/** Of a pattern that a `RegExp` searches for, with a small number of steps for each character. */
const nativeCost = 8;

/**
 * A pattern of a schema that nobody vouches for: its search takes linear time.
 * @throws GatewayError `invalid_config` for what cannot be searched for so
 */
export function linearExpression(source: string): Expression {
  const pattern = linearPattern(source);
  const cost = pattern.engine === 'native' ? nativeCost : pattern.size;
  return { cost, test: (text) => pattern.test(text), toString: () => source };
}
