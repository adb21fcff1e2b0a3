import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, dialects, type Json, type JsonObject, parseJson } from 'portcullis/sdk';
import { isSuccess } from './cases.ts';
import { type Cell, cells } from './cells.ts';
import { type Asking, askingOf, outboundFor, replay, type Sent } from './replay.ts';

const unknown = { a: 1 };

/** The request of a recording with a field that nobody knows. */
function withUnknown(asking: Asking): Asking {
  if (asking.bytes === undefined) return asking;
  const text = Buffer.from(asking.bytes).toString('latin1');
  if (asking.headers['content-type']?.startsWith('multipart/') === true) {
    const boundary = text.slice(0, text.indexOf('\r\n'));
    const field = `${boundary}\r\ncontent-disposition: form-data; name="x_unknown"\r\n\r\n${JSON.stringify(unknown)}\r\n`;
    return { ...asking, bytes: Buffer.from(field + text, 'latin1') };
  }
  const body = asObject(parseJson(Buffer.from(asking.bytes).toString('utf8'))) ?? {};
  return { ...asking, bytes: Buffer.from(JSON.stringify({ ...body, x_unknown: unknown })) };
}

function holds(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'x_unknown' in value || Object.values(value).some((member) => holds(member));
}

function reaches({ body, headers, url }: Sent): boolean {
  const text = Buffer.from(body).toString('latin1');
  const isForm = headers['content-type']?.startsWith('multipart/') === true;
  return (isForm ? text.includes('name="x_unknown"') : holds(parseJson(text))) || url.includes('x_unknown');
}

/**
 * Where the provider's own request is another one, made of what it knows: its schema refuses the rest, or it is a query,
 * an object of a store or a form of its own.
 */
const madeAnew: ReadonlySet<string> = new Set([
  'bedrock createBatch',
  'bedrock createFinetune',
  'cohere uploadFile',
  'deepgram createSpeech',
  'fireworks-ai uploadFile',
  'google createBatch',
  'google createSpeech',
  'google imageGenerate',
  'google uploadFile',
  'huggingface createTranscription',
  'oracle chatComplete',
  'oracle embed',
  'oracle rerank',
  'vertex-ai createBatch',
  'vertex-ai gemini-embedding:embed',
  'vertex-ai gemini:createSpeech',
  'vertex-ai gemini:embed',
  'vertex-ai gemini:imageGenerate',
  'vertex-ai uploadFile',
]);

async function checkForwarded({ recorded, unit, place }: Cell): Promise<void> {
  const { sent } = await replay(await outboundFor(withUnknown(askingOf(recorded, unit))), recorded.fixture.answers);
  assert.ok(sent.length > 0, 'something is sent');
  assert.equal(sent.some(reaches), !madeAnew.has(`${unit.name} ${place}`), 'whether x_unknown reaches the provider');
}

/** Clients and provider speak one format, and the client has sent a body. */
const alike = cells.filter(({ recorded, built: { exchange, outbound } }) => {
  const { dialect, spec } = outbound.chosen;
  const own = exchange.dialect === undefined ? undefined : dialects[exchange.dialect];
  return (
    own !== undefined &&
    dialect === own &&
    spec.method === undefined &&
    recorded.route.body !== 'loose' &&
    isSuccess(recorded)
  );
});

describe('a field that the gateway does not know reaches providers of the client’s own format', () => {
  const places = Map.groupBy(alike, ({ unit, place, recorded }) => {
    const form = recorded.fixture.call.body?.kind === 'form' ? 'a form' : 'JSON';
    return `${unit.name} ${place}, in ${form}`;
  });
  for (const [place, [cell]] of places) if (cell !== undefined) it(place, () => checkForwarded(cell));
});

/** The settings with a value of its own for every secret, so that it can be looked for; a key that is a document stays. */
function marked({ unit, recorded }: Cell): { readonly settings: JsonObject; readonly secrets: readonly string[] } {
  const { settings: given } = recorded.fixture.call;
  const secrets: string[] = [];
  const settings = Object.entries(unit.credential === undefined ? given : { api_key: '', ...given }).map(
    ([name, value]) => {
      const isSecret = name === 'api_key' || unit.fields.some(({ snake, secret }) => secret && snake === name);
      if (!isSecret || typeof value !== 'string') return [name, value];
      const own = value.length > 200 ? value : `secret-of-the-matrix-${secrets.length}`;
      secrets.push(own);
      return [name, own];
    },
  );
  return { settings: Object.fromEntries(settings), secrets };
}

async function checkSecrets(cell: Cell): Promise<number> {
  const { settings, secrets } = marked(cell);
  const { recorded, unit } = cell;
  if (secrets.length === 0) return 0;
  const built = await outboundFor({ ...askingOf(recorded, unit), settings });
  const refused = {
    status: 401,
    headers: { 'content-type': 'application/json' },
    bytes: Buffer.from('{"error":"no"}'),
  };
  for (const answers of [recorded.fixture.answers, [refused, refused, refused]]) {
    const { sent, told } = await replay(built, answers);
    for (const secret of secrets) {
      assert.ok(!told.text.includes(secret), 'the reply holds a secret');
      assert.ok(!JSON.stringify(told.headers).includes(secret), 'a header of the reply holds a secret');
      for (const { url, body } of sent) {
        assert.ok(!url.includes(secret), `${url} holds a secret`);
        assert.ok(!Buffer.from(body).includes(secret), `the body for ${url} holds a secret`);
      }
    }
  }
  return secrets.length;
}

describe('a secret stands in headers alone', () => {
  const providers = Map.groupBy(cells, ({ unit }) => unit.name);
  for (const [provider, own] of providers) {
    it(provider, async () => {
      const places = [...Map.groupBy(own, ({ place }) => place).values()].flatMap(([cell]) => cell ?? []);
      const counts = await Promise.all(places.map(checkSecrets));
      const needs = own.some(({ unit }) => unit.fields.some(({ secret }) => secret));
      assert.ok(!needs || counts.some((count) => count > 0), 'no secret was looked for');
    });
  }
});
