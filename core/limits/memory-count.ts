import type { Claim } from 'portcullis/sdk';

/** A count of this process. */
export interface MemoryCount {
  readonly organisationId: string;
  readonly name: string;
  readonly start: number;
  readonly end: number | undefined;
  readonly durable: boolean;
  used: number;
  reserved: number;
  /** `new`: nobody has asked the store; `away`: it did not answer, and `used` is only what was counted here. */
  state: 'new' | 'away' | 'known';
  loading: Promise<void> | undefined;
  /** Epoch milliseconds. */
  askAgainAt: number;
  /** The same name with another start, which came before. */
  older: MemoryCount | undefined;
  /** Whether it was asked for since it was last passed over. */
  touched: boolean;
}

export type AskedCount = Pick<Claim, 'name' | 'start' | 'durable'>;

export function newCount(
  organisationId: string,
  { name, start, durable }: AskedCount,
  end: number | undefined,
): MemoryCount {
  return {
    organisationId,
    name,
    start,
    end,
    durable,
    used: 0,
    reserved: 0,
    state: durable ? 'new' : 'known',
    loading: undefined,
    askAgainAt: 0,
    older: undefined,
    touched: false,
  };
}
