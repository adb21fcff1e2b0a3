export type Operator = 'all' | 'any' | 'none';

/** How an explanation says it. */
export const wanted = { all: 'all of them', any: 'one or more', none: 'none' } as const;

export function met(operator: Operator, found: number, total: number): boolean {
  return { all: found === total, any: found > 0, none: found === 0 }[operator];
}
