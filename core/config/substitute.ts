const malformed = `holds a malformed substitution: write \${NAME} or \${NAME:-default}, and $\${ for the characters themselves`;
const token = /\$\$\{|\$\{([^}]*)(\}?)/g;
const reference = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

export interface Substituted {
  readonly text: string;
  /** The whole scalar was one `${NAME}`. */
  readonly whole: boolean;
  /** Why parts of it cannot be replaced. */
  readonly reasons: readonly string[];
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` (the default serves where the variable is unset or empty); `$${` stands for
 * `${`. What is inserted is not read again.
 */
export function substitute(text: string, lookup: (name: string) => string | undefined): Substituted {
  const reasons: string[] = [];
  const replaced = text.replace(token, (match, inner: string | undefined, end: string) => {
    if (inner === undefined) return '${';
    const [, name, standard] = reference.exec(inner) ?? [];
    if (end === '' || name === undefined) {
      reasons.push(malformed);
      return match;
    }
    const value = lookup(name);
    if (standard !== undefined && (value === undefined || value === '')) return standard;
    if (value === undefined) {
      reasons.push(
        `needs the environment variable ${name}, which is not set (\${${name}:-default} gives it a default)`,
      );
    }
    return value ?? '';
  });
  return { text: replaced, whole: /^\$\{[^}]*\}$/.test(text), reasons };
}
