import type { Outcome } from 'portcullis/sdk';
import { ReplyLedger } from '../ledger/reply-ledger.ts';
import { ForwardedStream } from './reply-streams.ts';

/** Whether a counted reply went to its client byte for byte as the provider gave it. Asked when it is over. */
export function isUntouched({ body, metering }: Outcome): boolean {
  if (body.kind === 'stream') return body.stream instanceof ForwardedStream && body.stream.isUntouched;
  return metering instanceof ReplyLedger && metering.isOf(body.bytes);
}
