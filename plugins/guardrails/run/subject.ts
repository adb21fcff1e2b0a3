import type { ChangedParts, CheckPhase, JsonObject, TargetContext } from 'portcullis/sdk';
import type { ScanScope } from '../definition/hook.ts';
import { ScanInput, type Subject } from '../scan/input.ts';
import type { Reading } from '../scan/reading.ts';
import { type Scan, scanReply, scanRequest } from '../scan/scan.ts';

/** There are few scopes. */
interface Seen {
  readonly scope: ScanScope;
  readonly strip: boolean;
  readonly scan: Scan;
  readonly input: ScanInput;
}

/** One look at one part of a target; checks of the same scope share what they see. */
export class Look implements Subject {
  readonly phase: CheckPhase;
  readonly target: TargetContext;
  readonly body: JsonObject;
  readonly reading: Reading;
  readonly reply: JsonObject | undefined;
  readonly changed: ChangedParts;
  readonly #seen: Seen[] = [];

  constructor({ phase, target, body, reading, reply, changed }: Subject) {
    this.phase = phase;
    this.target = target;
    this.body = body;
    this.reading = reading;
    this.reply = reply;
    this.changed = changed;
  }

  at(scope: ScanScope, strip: boolean): Pick<Seen, 'scan' | 'input'> {
    for (const seen of this.#seen) if (seen.scope === scope && seen.strip === strip) return seen;
    const scan =
      this.phase === 'beforeRequest' ? scanRequest(this.reading, scope, strip) : scanReply(this.reading, scope);
    const seen = { scope, strip, scan, input: new ScanInput(this, scan) };
    this.#seen.push(seen);
    return seen;
  }
}
