import { GatewayError, linearPattern } from 'portcullis/sdk';

interface Expression {
  test(text: string): boolean;
  /** Validators tell expressions apart by it. */
  toString(): string;
}

/** What `schema.Record` writes for a map with any keys. */
const anyKey = '^.*$';

/**
 * A pattern of a schema that nobody vouches for. The slower engine for patterns is no way out here: schemas may hold many of them.
 * @throws GatewayError `invalid_config` unless it is proved that its search takes linear time
 */
export function linearExpression(source: string): Expression {
  if (source === anyKey) return /^.*$/u;
  const pattern = linearPattern(source);
  if (pattern.engine === 'native') return { test: (text) => pattern.test(text), toString: () => source };
  const text = 'its search may take more than linear time, or it matches the empty text; look at the value in prepare.';
  throw new GatewayError('invalid_config', text);
}
