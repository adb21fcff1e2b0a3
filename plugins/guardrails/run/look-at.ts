import type { ChangedParts, JsonObject, TargetContext } from 'portcullis/sdk';
import { readReply, readRequest } from '../scan/read.ts';
import type { Reading } from '../scan/reading.ts';
import { Look } from './subject.ts';

/** A look at the request as it stands; the target's own body is the one that came. */
export function lookAtRequest(target: TargetContext, body: JsonObject): Look {
  return new Look({
    phase: 'beforeRequest',
    target,
    body,
    reading: readRequest(target.request, body),
    reply: undefined,
    changed: { request: body !== target.body, reply: false },
  });
}

/** A look at a whole reply; undefined: it is no JSON object. */
export function lookAtReply(target: TargetContext, reply: JsonObject | undefined, changed: ChangedParts): Look {
  const reading = readReply(target.request.endpoint, reply, target.request.dialect);
  return new Look({ phase: 'afterRequest', target, body: target.body, reading, reply, changed });
}

/** A look at what a stream has said. */
export function lookAtStream(target: TargetContext, reading: Reading, changed: ChangedParts): Look {
  return new Look({ phase: 'afterRequest', target, body: target.body, reading, reply: undefined, changed });
}
