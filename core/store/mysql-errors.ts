interface WithStatement {
  sql?: unknown;
  sqlMessage?: unknown;
}

const quoted: readonly (readonly [RegExp, string])[] = [
  [/\b(entry|value:?) '[\s\S]*' for /gi, '$1 … for '],
  [/\b(value:?) '[\s\S]*'/gi, '$1 …'],
  [/\bnear '[\s\S]*' at /gi, 'near … at '],
];

/** The driver's error without the statement and the values in it: either may hold a secret. */
export function bareError<E extends Error>(error: E): E {
  const { message } = error;
  error.message = quoted.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
  const bare = error as E & WithStatement;
  delete bare.sql;
  delete bare.sqlMessage;
  if (error.stack !== undefined) error.stack = error.stack.replace(message, () => error.message);
  return error;
}
