import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asString, type DialectName, type Json, type JsonObject, parseJson } from 'portcullis/sdk';
import { entries, isSuccess, recordedReply } from './cases.ts';
import { type Cell, cells } from './cells.ts';
import { type Answer, BrokenOff, replay, type Told } from './replay.ts';

const statuses = [400, 401, 403, 404, 429, 500, 503];
const waitSeconds = 7;

/** What stands before providers instead of them, and says so in its own way. */
const odd: readonly { readonly what: string; readonly type: string; readonly text: string }[] = [
  { what: 'nothing', type: 'application/json', text: '' },
  { what: 'a page', type: 'text/html', text: '<html><body><h1>Bad gateway</h1></body></html>' },
  { what: 'JSON of another shape', type: 'application/json', text: '{"odd":[{"reason":7}],"error":null}' },
];

/** An error as the provider writes it, and what of it the client must read. */
interface OwnError {
  readonly cell: Cell;
  readonly answer: Answer;
  /** '' where it says nothing that could be read. */
  readonly message: string;
}

function ownErrors(provider: string): readonly OwnError[] {
  return cells
    .filter(({ unit, recorded }) => unit.name === provider && recorded.fixture.requests.length === 1)
    .flatMap((cell) => {
      const [answer] = cell.recorded.fixture.answers;
      const message = asString(asObject(asObject(recordedReply(cell.recorded)?.json)?.error)?.message);
      if (answer === undefined || answer.status < 400 || message === undefined) return [];
      return [{ cell, answer, message: toldIn(parseJson(Buffer.from(answer.bytes).toString('utf8')), message) }];
    });
}

/** The longest text of an answer that the client gets. */
function toldIn(answer: Json | undefined, message: string): string {
  if (typeof answer === 'string') return message.includes(answer) ? answer : '';
  const inside = typeof answer === 'object' && answer !== null ? Object.values(answer) : [];
  return inside
    .map((value) => toldIn(value, message))
    .reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}

/** The nearest error that is recorded: of this endpoint, of this format, or of any. */
function nearest({ place, built }: Cell, errors: readonly OwnError[]): OwnError | undefined {
  const { dialect } = built.outbound.chosen;
  return (
    errors.find(({ cell }) => cell.place === place) ??
    errors.find(({ cell }) => cell.built.outbound.chosen.dialect === dialect) ??
    errors[0]
  );
}

/** @throws Error when the body is no error in the way of the client's format */
function messageIn(dialect: DialectName | undefined, provider: string, body: JsonObject): string {
  const { message, type, ...more } = asObject(body.error) ?? {};
  assert.ok(typeof message === 'string' && message !== '', 'there is a message');
  assert.ok(typeof type === 'string' && type !== '', 'there is a type');
  if (dialect === 'messages') {
    assert.equal(body.type, 'error');
    assert.ok(asString(body.request_id) !== undefined, 'there is a request id');
  } else {
    assert.deepEqual(Object.keys(more).toSorted(), ['code', 'param']);
    assert.equal(body.provider, provider);
  }
  return message;
}

function checkError({ built, unit }: Cell, { status, headers, text, outcome }: Told, wanted: number): string {
  assert.equal(status, wanted);
  assert.match(String(headers['content-type']), /^application\/json/);
  assert.equal(outcome.provider, unit.name);
  assert.ok(outcome.error !== undefined, 'the outcome is an error');
  if (wanted === 429) {
    assert.equal(outcome.retryAfterMs, waitSeconds * 1000);
    assert.equal(headers['retry-after'], String(waitSeconds));
  }
  return messageIn(built.exchange.dialect, unit.name, asObject(parseJson(text)) ?? {});
}

function withStatus(status: number, answer: Omit<Answer, 'status'>): Answer {
  const wait = status === 429 ? { 'retry-after': String(waitSeconds) } : {};
  return { ...answer, status, headers: { ...answer.headers, ...wait } };
}

/** For flows that ask elsewhere when they are refused. */
function always(answer: Answer): readonly Answer[] {
  return Array.from({ length: 4 }, () => answer);
}

async function checkCell(cell: Cell, own: OwnError | undefined): Promise<void> {
  for (const status of statuses) {
    if (own !== undefined) {
      const { told } = await replay(cell.built, always(withStatus(status, own.answer)));
      const message = checkError(cell, told, status);
      // A key that the provider repeats is masked.
      const shown = own.message.replaceAll('test-key', '****');
      assert.ok(message.includes(shown), `${status}: "${message}" does not hold "${shown}"`);
    }
    for (const { type, text } of odd) {
      const answer = { headers: { 'content-type': type }, bytes: Buffer.from(text) };
      const { told } = await replay(cell.built, always(withStatus(status, answer)));
      checkError(cell, told, status);
    }
  }
}

/** A later call of those that an answer needs: what went well before it is no success, unless bytes have gone out already. */
async function checkLater(cell: Cell, position: number): Promise<void> {
  const before = cell.recorded.fixture.answers.slice(0, position);
  for (const status of [429, 500]) {
    const answer = {
      headers: { 'content-type': 'application/json' },
      bytes: Buffer.from('{"error":{"message":"later"}}'),
    };
    const replayed = await replay(cell.built, [...before, ...always(withStatus(status, answer))]).catch(
      (error: unknown) => {
        if (error instanceof BrokenOff) return undefined;
        throw error;
      },
    );
    if (replayed !== undefined) assert.ok(checkError(cell, replayed.told, status).length > 0);
  }
}

describe('errors reach the client under one shape, from every endpoint', () => {
  for (const { manifest } of entries) {
    const errors = ownErrors(manifest.name);
    const places = Map.groupBy(
      cells.filter(
        ({ unit, recorded, place }) => unit.name === manifest.name && isSuccess(recorded) && place !== 'proxy',
      ),
      ({ place, built }) => `${place} ${built.outbound.facts.stream ? 'streamed' : 'whole'}`,
    );
    for (const [place, [cell]] of places) {
      if (cell === undefined) continue;
      it(`${manifest.name} ${place}`, () => checkCell(cell, nearest(cell, errors)));
    }
  }
});

describe('errors of a later call reach the client as those of the first do', { concurrency: true }, () => {
  const several = cells.filter(({ recorded }) => recorded.fixture.requests.length > 1 && isSuccess(recorded));
  const places = Map.groupBy(several, ({ unit, place }) => `${unit.name} ${place}`);
  for (const [place, [cell]] of places) {
    if (cell === undefined) continue;
    for (const [index, { method }] of cell.recorded.fixture.requests.entries()) {
      if (index > 0) it(`${place}: ${method} as call ${index + 1}`, () => checkLater(cell, index));
    }
  }
});
