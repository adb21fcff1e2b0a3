import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from 'portcullis/sdk';
import {
  type CheckNetwork,
  checkInput,
  createCheckHost,
  runCheck,
  testCheck,
  testGuardrailFixtures,
} from 'portcullis/sdk/testing';
import contentSafety from '../../guardrails/azure/content-safety.ts';
import azure from '../../guardrails/azure/index.ts';
import pii from '../../guardrails/azure/pii.ts';
import protectedMaterial from '../../guardrails/azure/protected-material.ts';
import shieldPrompt from '../../guardrails/azure/shield-prompt.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/azure'), azure);

const refused = { status: 400, headers: {}, body: Buffer.from('{"error":{"code":"InvalidRequestBody"}}') };
const key = { resourceName: 'contoso', apiKey: 'azure-key' };
const entra = { ...key, azureAuthMode: 'entra', tenantId: 'tenant', clientId: 'client', clientSecret: 'azure-secret' };

testCheck(contentSafety, {
  fail: [
    {
      name: 'an odd severity, for which all eight levels are asked',
      config: { categories: ['Hate'], severity: 7 },
      host: {
        ...safety(key),
        fetch: severe,
      },
      why: /Hate/,
    },
    {
      name: 'what stands behind the length that the service reads at once',
      input: { text: `${'A calm word. '.repeat(1500)}hateful` },
      config: { categories: ['Hate'] },
      host: { ...safety(key), fetch: reader },
      data: { severities: { Hate: 4 }, blocklists: [] },
    },
    {
      name: 'a term of a blocklist across the end of a piece',
      input: { text: `${'x'.repeat(9_995)} forbidden ${'x'.repeat(9_000)}` },
      config: { categories: ['Hate'], blocklistNames: ['terms'] },
      host: { ...safety(key), fetch: reader },
      data: { severities: { Hate: 0 }, blocklists: ['terms'] },
    },
  ],
  error: [
    {
      name: 'more than it reads in all its calls',
      input: { text: 'x'.repeat(304_501) },
      host: { ...safety(key), fetch: reader },
      code: 'check_failed',
      message: /304500 characters at most; here are 304501/,
    },
    { name: 'credentials for something else', host: { credentials: { pii: key } }, message: /lack contentSafety/ },
    { name: 'no place to call', host: safety({ apiKey: 'azure-key' }), message: /lack contentSafety\.resourceName/ },
    { name: 'no key', host: safety({ resourceName: 'contoso' }), message: /lack contentSafety\.apiKey/ },
    { name: 'a host that is no URL', host: safety({ ...key, customHost: 'contoso.example' }), message: /customHost/ },
    { name: 'a managed identity', host: safety({ ...key, azureAuthMode: 'managed' }), message: /apiKey or entra/ },
    { name: 'half an application', host: safety({ ...key, azureAuthMode: 'entra' }), message: /tenantId, clientId/ },
    {
      name: 'a category without severity',
      host: { ...safety(key), fetch: replies({ categoriesAnalysis: [{ category: 'Hate', severity: 0 }] }) },
      code: 'check_failed',
      message: /severity of SelfHarm/,
    },
  ],
  refused: [
    { config: { severity: 8 }, message: /severity/ },
    { config: { categories: [] }, message: /categories/ },
    { config: { categories: ['Spam'] }, message: /categories\[0\]/ },
    { config: { apiVersion: '2024-09-01&x=1' }, message: /apiVersion/ },
  ],
});

/** The first document ends inside of what stands behind it. */
const long = 'word '.repeat(998).trim();

testCheck(pii, {
  pass: [
    { name: 'texts without a word, unasked', input: { texts: [{ text: ' ' }] } },
    {
      name: 'a text that is longer than a document, masked where it was cut too',
      text: `${long} ann@example.com ${long} bob@example.com`,
      config: { redact: true },
      host: { credentials: { pii: key }, fetch: addresses },
      data: { categories: ['Email'] },
      edited: [`${long} *************** ${long} ***************`],
    },
  ],
  error: [
    {
      name: 'more texts than it reads',
      input: { texts: Array.from({ length: 161 }, () => ({ text: 'Hello.' })) },
      host: { credentials: { pii: key } },
      code: 'check_failed',
      message: /160 texts at most, long ones as several; here are 161/,
    },
    {
      name: 'a text that the service could not read',
      host: { credentials: { pii: key }, fetch: replies({ results: { documents: [], errors: [{ id: '0' }] } }) },
      code: 'check_failed',
      message: /entities of text 0/,
    },
    {
      name: 'a text that was not read to its end',
      host: {
        credentials: { pii: key },
        fetch: replies({
          results: { documents: [{ id: '0', entities: [], warnings: [{ code: 'DocumentTruncated' }] }] },
        }),
      },
      code: 'check_failed',
      message: /only the beginning of text 0/,
    },
    {
      name: 'a place outside the text',
      text: 'Ada',
      host: {
        credentials: { pii: key },
        fetch: replies({
          results: { documents: [{ id: '0', entities: [{ category: 'Person', offset: 1, length: 3 }] }] },
        }),
      },
      code: 'check_failed',
      message: /outside the text/,
    },
  ],
  refused: [{ config: { domain: 'law' }, message: /domain/ }],
});

testCheck(shieldPrompt, {
  pass: [
    {
      name: 'long texts without an attack',
      input: { texts: [{ text: 'x'.repeat(30_000) }, { text: 'y'.repeat(11_000), kind: 'tool-result', role: 'tool' }] },
      host: { ...safety(key), fetch: shield },
      data: { prompt: false, document: false },
    },
  ],
  fail: [
    {
      name: 'an attack behind the length of a prompt',
      input: { text: `${'x'.repeat(25_000)} attack` },
      host: { ...safety(key), fetch: shield },
      why: /prompt/,
    },
    {
      name: 'an attack behind the length of documents',
      input: { texts: [{ text: 'Hi.' }, { text: `${'x'.repeat(9_998)} attack`, kind: 'tool-result', role: 'tool' }] },
      host: { ...safety(key), fetch: shield },
      why: /documents/,
    },
  ],
  error: [
    {
      name: 'documents without an answer',
      input: { texts: [{ text: 'Hello.' }, { text: 'A page.', kind: 'tool-result', role: 'tool' }] },
      host: {
        ...safety(key),
        fetch: replies({ userPromptAnalysis: { attackDetected: false }, documentsAnalysis: [] }),
      },
      code: 'check_failed',
    },
  ],
});

testCheck(protectedMaterial, {
  fail: [
    {
      name: 'lyrics behind the length that the service reads at once',
      input: { phase: 'afterRequest', text: `${'x'.repeat(12_000)} lyrics` },
      host: { ...safety(key), fetch: lyricist },
    },
  ],
});

describe('tokens of Microsoft Entra', () => {
  const safe = {
    categoriesAnalysis: ['Hate', 'SelfHarm', 'Sexual', 'Violence'].map((category) => ({ category, severity: 0 })),
  };
  const tokensFor = async (expiresIn: number, ...credentials: JsonObject[]) => {
    const fetch: CheckNetwork = ({ hostname }) =>
      reply(hostname === 'login.microsoftonline.com' ? { access_token: 'token', expires_in: expiresIn } : safe);
    const { cache } = createCheckHost();
    const hosts = credentials.map((contentSafety) => ({
      ...createCheckHost({ credentials: { contentSafety }, fetch }),
      cache,
    }));
    for (const host of hosts) await runCheck(contentSafety, {}, checkInput(), host);
    return hosts.flatMap(({ fetched }) => fetched).filter(({ url }) => url.hostname === 'login.microsoftonline.com')
      .length;
  };

  it('keeps a token for the next run', async () => {
    assert.equal(await tokensFor(3600, entra, entra), 1);
  });

  it('keeps no token that is about to end', async () => {
    assert.equal(await tokensFor(60, entra, entra), 2);
  });

  it('gives nobody the token of another secret', async () => {
    assert.equal(await tokensFor(3600, entra, { ...entra, clientSecret: 'a guess' }), 2);
  });
});

function safety(contentSafety: JsonObject) {
  return { credentials: { contentSafety } };
}

/** The worst that there is, on the scale that is asked for. */
function severe(...[, { body }]: Parameters<CheckNetwork>) {
  const eight = String(body).includes('"outputType":"EightSeverityLevels"');
  return reply({ categoriesAnalysis: [{ category: 'Hate', severity: eight ? 7 : 6 }] });
}

/** Finds words in what it is given, and refuses what is too long for it, as the service does. */
function reader(...[, { body }]: Parameters<CheckNetwork>) {
  const { text = '' } = sent(body);
  if (text.length > 10_000) return refused;
  const categoriesAnalysis = [{ category: 'Hate', severity: text.includes('hateful') ? 4 : 0 }];
  const blocklistsMatch = text.includes('forbidden') ? [{ blocklistName: 'terms' }] : [];
  return reply({ categoriesAnalysis, blocklistsMatch });
}

function shield(...[, { body }]: Parameters<CheckNetwork>) {
  const { userPrompt, documents } = sent(body);
  if ([userPrompt ?? '', (documents ?? []).join('')].some(({ length }) => length > 10_000)) return refused;
  const attacks = (text: string) => ({ attackDetected: text.includes('attack') });
  return reply({
    ...(userPrompt === undefined ? {} : { userPromptAnalysis: attacks(userPrompt) }),
    documentsAnalysis: (documents ?? []).map(attacks),
  });
}

function lyricist(...[, { body }]: Parameters<CheckNetwork>) {
  const { text = '' } = sent(body);
  return text.length > 10_000 ? refused : reply({ protectedMaterialAnalysis: { detected: text.includes('lyrics') } });
}

function sent(body: string | undefined) {
  return JSON.parse(body ?? '') as {
    text?: string;
    userPrompt?: string;
    documents?: string[];
    analysisInput?: { documents: { id: string; text: string }[] };
  };
}

/** As the service: addresses of mail, and no document of more than 5,120 characters. */
function addresses(...[, { body }]: Parameters<CheckNetwork>) {
  const read = (sent(body).analysisInput?.documents ?? []).filter(({ text }) => text.length <= 5120);
  const documents = read.map(({ id, text }) => ({
    id,
    entities: [...text.matchAll(/[a-z]+@example\.com/g)].map(({ 0: match, index }) => {
      return { category: 'Email', offset: index, length: match.length };
    }),
  }));
  return reply({ results: { documents, errors: [] } });
}

function replies(body: Json): CheckNetwork {
  return () => reply(body);
}

function reply(body: Json) {
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}
