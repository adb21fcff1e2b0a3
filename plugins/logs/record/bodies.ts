import type { LogBodies, RecordBodies } from 'portcullis/sdk';
import { maskedHeaders, namesOf } from './masked-headers.ts';

const nothing = { headers: {}, body: '' };

/** What was said, for the log: headers without credentials, bodies by reference, for texts are made of them in the batch. */
export function bodiesOf(bodies: RecordBodies): LogBodies {
  const named = namesOf(bodies.control('sensitive-headers'));
  const sent = bodies.request();
  const got = bodies.response();
  return {
    request: { headers: maskedHeaders(sent.headers, named), body: sent.body },
    response: got === undefined ? nothing : { headers: maskedHeaders(got.headers, named), body: got.body },
    truncated: got?.truncated ?? false,
  };
}

/** Whether the request asks that nothing of what is said is kept; it can never ask for more than the workspace keeps. */
export function asksForSilence(bodies: RecordBodies): boolean {
  return bodies.control('debug')?.trim().toLowerCase() === 'false';
}
