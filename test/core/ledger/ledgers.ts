import type { DialectName, GenerationDialect, JsonObject } from 'portcullis/sdk';
import { UsageMeter } from 'portcullis/sdk';
import { type CountedReply, StreamedReply } from '../../../core/ledger/counted-reply.ts';
import { Ledger } from '../../../core/ledger/ledger.ts';
import { ReplyLedger } from '../../../core/ledger/reply-ledger.ts';
import type { LedgerSettings } from '../../../core/ledger/settings.ts';
import { Cancellation } from '../../../core/upstream/cancellation.ts';

const ledgers: Ledger[] = [];

/** For `after`: ends the threads that count. */
export async function closeLedgers(): Promise<void> {
  await Promise.all(ledgers.splice(0).map((ledger) => ledger.close()));
}

export function testLedger(settings: Partial<LedgerSettings> = {}): Ledger {
  const ledger = new Ledger({ askUsage: true, onDisconnect: 'count', ...settings });
  ledgers.push(ledger);
  return ledger;
}

export function streamedReply(dialect: GenerationDialect, answers = 1): StreamedReply {
  const reading = { dialect, framing: dialect.framing, repair: undefined };
  return new StreamedReply(new UsageMeter(dialect.usage, answers), reading);
}

export interface LedgerParts {
  readonly ledger?: Ledger;
  readonly asked?: JsonObject;
  readonly dialect?: DialectName;
  readonly cancellation?: Cancellation;
}

/** The ledger of one reply; nobody's tokens are counted unless a test asks for them. */
export function replyLedger(reply: CountedReply, parts: LedgerParts = {}): ReplyLedger {
  return new ReplyLedger(reply, {
    ledger: testLedger(),
    asked: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
    dialect: 'chat',
    cancellation: new Cancellation(),
    ...parts,
  });
}
