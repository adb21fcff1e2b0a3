import assert from 'node:assert/strict';
import { createFramer } from '../framing/framing.ts';
import type { FixtureCase, FixtureEvent, FixtureRequest } from './fixtures.ts';
import type { RecordedRequest } from './recorded-server.ts';
import { comparable, expectedBody, jsonOrText, type WireBody } from './wire-body.ts';

/** What the gateway says about the call without making it. */
export interface ExplainedUrls {
  /** Where it would go. */
  readonly published: string;
  /** The path and query that a custom host would see. */
  readonly path: string;
}

/** What came back to the client. */
export interface ClientReply extends WireBody {
  readonly status: number;
}

/** @throws Error with the difference, naming the file of the case that is not met */
export async function compareRequests(
  { requests, answers, several, files }: FixtureCase,
  came: readonly RecordedRequest[],
  explained: ExplainedUrls,
  reply: ClientReply,
): Promise<void> {
  const answered = `The gateway answered ${reply.status}: ${textOf(reply)}`;
  if (came.length === 0) throw new Error(`${files.request}: nothing was sent. ${answered}`);
  for (const [index, actual] of came.entries()) {
    const expected = requests[index];
    if (expected === undefined) {
      const which = `${actual.method} ${actual.path}`;
      throw new Error(`${files.request}: ${answers.length} recorded, but one more request came: ${which}. ${answered}`);
    }
    const facts = { index, several, explained };
    const what = several ? `request ${index + 1} of ${requests.length} to the provider` : 'the request to the provider';
    same(files.request, what, await requestCame(actual, expected, facts), requestExpected(actual, expected, facts));
  }
  if (came.length < requests.length)
    throw new Error(`${files.request}: ${requests.length} recorded, but only ${came.length} came. ${answered}`);
}

/** @throws Error with the difference, naming the file of the case that is not met */
export async function compareReply({ reply, files }: FixtureCase, actual: ClientReply): Promise<void> {
  if (reply.kind === 'whole') {
    const { status, body, type } = reply;
    const typed = (value: string) => (type === undefined ? {} : { type: value });
    same(
      files.reply,
      'the reply to the client',
      { status: actual.status, ...typed(actual.contentType), body: await comparable(actual, body) },
      { status, ...typed(type ?? ''), body: expectedBody(body) },
    );
    return;
  }
  if (!actual.contentType.startsWith('text/event-stream'))
    throw new Error(`${files.reply}: no stream came, but ${actual.status}: ${textOf(actual)}`);
  same(files.reply, 'the events to the client', eventsIn(actual.bytes), reply.events);
}

interface RequestFacts {
  readonly index: number;
  readonly several: boolean;
  readonly explained: ExplainedUrls;
}

async function requestCame(actual: RecordedRequest, expected: FixtureRequest, facts: RequestFacts): Promise<unknown> {
  const asked = Object.keys(expected.headers).map((name) => [name, actual.headers[name]]);
  const wire = { contentType: actual.headers['content-type'] ?? '', bytes: actual.body };
  return {
    method: actual.method,
    ...(isExplained(expected, facts) ? { url: facts.explained.published } : {}),
    path: actual.path,
    headers: Object.fromEntries(asked),
    body: await comparable(wire, expected.body),
  };
}

function requestExpected(actual: RecordedRequest, expected: FixtureRequest, facts: RequestFacts): unknown {
  const explained = isExplained(expected, facts);
  return {
    method: expected.method,
    ...(explained ? { url: told(expected.url, facts) } : {}),
    path: facts.several ? pathExpected(actual, expected, facts.explained) : facts.explained.path,
    headers: expected.headers,
    body: expectedBody(expected.body),
  };
}

/** What must be told in advance; a flow makes its query, and what is below its path, of the body. */
function told(url: string, { several, explained: { published } }: RequestFacts): string {
  const isBelow = url.startsWith(`${published}?`) || url.startsWith(`${published}/`);
  return several && isBelow ? published : url;
}

/** Of several calls the gateway tells the first in advance, unless it goes to a place that is not below the provider's base. */
function isExplained({ url }: FixtureRequest, { index, several, explained }: RequestFacts): boolean {
  if (!several) return true;
  return index === 0 && url.startsWith(`${baseOf(explained)}/`);
}

/** The provider's base, where the path that a custom host would see shows it; else its origin. */
function baseOf({ published, path }: ExplainedUrls): string {
  if (published.endsWith(path)) return published.slice(0, published.length - path.length);
  return URL.canParse(published) ? new URL(published).origin : published;
}

/**
 * A custom host replaces the whole base of a path below it, and the origin alone of a whole URL: either may be meant by a
 * URL that begins as the base does.
 */
function pathExpected(actual: RecordedRequest, { url }: FixtureRequest, { published, path }: ExplainedUrls): string {
  const { origin } = new URL(url);
  const whole = url.slice(origin.length);
  const base = published.endsWith(path) ? published.slice(0, published.length - path.length) : '';
  const below = base !== '' && url.startsWith(base) ? url.slice(base.length) : whole;
  return actual.path === below ? below : whole;
}

function eventsIn(bytes: Uint8Array): readonly FixtureEvent[] {
  const framer = createFramer('sse');
  return [...framer.push(Buffer.from(bytes)), ...framer.end()].map(({ event, data }) => ({
    ...(event === undefined ? {} : { event }),
    data: jsonOrText(data) ?? '',
  }));
}

function textOf({ bytes }: ClientReply): string {
  return Buffer.from(bytes).toString('utf8');
}

function same(file: string, what: string, actual: unknown, expected: unknown): void {
  try {
    assert.deepEqual(actual, expected);
  } catch (error) {
    const diff = error instanceof Error ? error.message : '';
    throw new Error(
      `${file}: ${what} differs (+ came, - recorded).\n${diff}\nCame:\n${JSON.stringify(actual, null, 1)}`,
      { cause: error },
    );
  }
}
