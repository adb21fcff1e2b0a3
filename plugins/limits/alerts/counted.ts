import type { BudgetOwner } from 'portcullis/sdk';

/** What the name of a durable count says. */
export interface Counted {
  readonly owner: BudgetOwner;
  readonly id: string;
  readonly type: string;
  /** Of a policy's group; '' for all else. */
  readonly valueKey: string;
  /** The limit, in the unit of the count, that refused requests; undefined: this count is of what was used. */
  readonly refusedAt: number | undefined;
}

const form =
  /^(?:refused\/(?<refused>\d+)\/)?budget\/(?<owner>[a-z]+)\/(?<id>[^/]+)\/(?<type>[a-z]+)(?:\/(?<key>.*))?$/s;

/** Undefined: a count of somebody else. The names are those of `budgetName` and `refusedName`. */
export function countedIn(name: string): Counted | undefined {
  const groups = form.exec(name)?.groups;
  if (groups === undefined) return undefined;
  const { refused, owner, id = '', type = '', key = '' } = groups;
  return {
    owner: owner as BudgetOwner,
    id,
    type,
    valueKey: key,
    refusedAt: refused === undefined ? undefined : Number(refused),
  };
}
