import type { RequestContext, SentAs } from 'portcullis/sdk';
import type { Cancellation } from './cancellation.ts';
import type { Timeouts } from './transport.ts';

/** What a call owes to its target and its client. */
export interface CallFactsOfTarget {
  readonly request: RequestContext;
  readonly cancellation: Cancellation;
  readonly path: string;
  readonly strict: boolean;
  readonly requestTimeoutMs: number | undefined;
  /** In the place of the usual ones, for one of several calls. */
  readonly timeouts?: Timeouts;
  /** What the client of a WebSocket offers. */
  readonly socketProtocols?: readonly string[];
  /** Told how the body that is sent comes of the client's, before it is: the last time counts. */
  readonly sends?: (as: SentAs | undefined) => void;
  /** Told of each field of a reply that has no place in the client's format. */
  readonly dropped: (field: string) => void;
}
