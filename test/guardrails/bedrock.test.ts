import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { asObject, asObjects, asString, type CheckHost, type Json, type JsonObject, parseJson } from 'portcullis/sdk';
import {
  type CheckNetwork,
  checkInput,
  createCheckHost,
  editedTexts,
  runCheck,
  testCheck,
  testGuardrailFixtures,
} from 'portcullis/sdk/testing';
import guard from '../../guardrails/bedrock/guard.ts';
import bedrock from '../../guardrails/bedrock/index.ts';
import { signed } from '../../guardrails/bedrock/sign.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/bedrock'), bedrock);

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const credentials = {
  awsAccessKeyId: keys.accessKeyId,
  awsSecretAccessKey: keys.secretAccessKey,
  awsRegion: 'us-east-1',
};
const role = { ...credentials, awsAuthType: 'assumedRole', awsRoleArn: 'arn:aws:iam::123456789012:role/demo' };
const config = { guardrailId: 'gr7xk2m9p1ab', guardrailVersion: '1' };

describe('Signature Version 4', () => {
  // Of the test suite of AWS and the examples of its documents.
  const now = Date.UTC(2015, 7, 30, 12, 36);
  const service = { service: 'service', region: 'us-east-1', now };
  const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const vectors = [
    {
      name: 'a request without anything',
      request: { ...service, method: 'GET', url: 'https://example.amazonaws.com/' },
      signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    },
    {
      name: 'a request without a body that is posted',
      request: { ...service, method: 'POST', url: 'https://example.amazonaws.com/' },
      signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    },
    {
      name: 'parameters in the order of their names',
      request: { ...service, method: 'GET', url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1' },
      signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    },
    {
      name: 'a call of IAM with a header',
      request: {
        method: 'GET',
        url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
        headers: form,
        service: 'iam',
        region: 'us-east-1',
        now,
      },
      signature: '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    },
  ];
  // By hand, with hashlib and hmac of Python.
  const further = [
    {
      name: 'the bytes of a body, not its letters',
      request: { ...service, method: 'POST', url: 'https://example.amazonaws.com/', body: 'Grüße 🙂' },
      signature: '6cec1159faa3dd8ef738785a5abb8ee14c1472e6ac6208076e475333259bfb50',
    },
    {
      name: 'a path encoded once more than it is sent',
      request: { ...service, method: 'POST', url: 'https://example.amazonaws.com/guardrail/arn%3Aaws/apply' },
      signature: 'd3219c3b8796ffd2820d257199b4fe603b8404eb679efea87f2d36dcfcac32e5',
    },
  ];
  for (const { name, request, signature } of [...vectors, ...further]) {
    it(`signs ${name}`, () => {
      assert.equal(signed(request, keys).authorization?.split('Signature=')[1], signature);
    });
  }

  it('signs and sends the session token', () => {
    const post = { ...service, method: 'POST', url: 'https://example.amazonaws.com/' };
    const headers = signed(post, { ...keys, sessionToken: 'session' });
    assert.equal(headers['x-amz-security-token'], 'session');
    assert.match(headers.authorization ?? '', /SignedHeaders=host;x-amz-date;x-amz-security-token,/);
  });
});

testCheck(guard, {
  pass: [{ name: 'texts without a word, unasked', text: ' ', config, host: { credentials } }],
  fail: [
    {
      name: 'sensitive information that does not stand in the text as it was found',
      text: 'Call me.',
      config: { ...config, redact: true },
      host: says(found({ type: 'PHONE', match: '312-555-1234', action: 'BLOCKED' })),
    },
    {
      name: 'a masked text that is the text as it was',
      text: 'Call me.',
      config: { ...config, redact: true },
      host: says({ ...found({ type: 'NAME', match: 'me', action: 'ANONYMIZED' }), outputs: [{ text: 'Call me.' }] }),
    },
    {
      name: 'an intervention without a reason',
      config: { ...config, redact: true },
      host: says({ action: 'GUARDRAIL_INTERVENED', assessments: [] }),
    },
  ],
  error: [
    { name: 'an action that nobody knows', config, host: says({ action: 'MAYBE' }), code: 'check_failed' },
    {
      name: 'a role without a name',
      config,
      host: { credentials: { ...credentials, awsAuthType: 'assumedRole' } },
      code: 'check_failed',
      message: /awsRoleArn/,
    },
    {
      name: 'more texts than it redacts',
      input: { texts: Array.from({ length: 33 }, () => ({ text: 'Hello.' })) },
      config: { ...config, redact: true },
      host: { credentials },
      code: 'check_failed',
      message: /32 texts at most; here are 33/,
    },
  ],
  refused: [
    { config: { guardrailId: 'gr7xk2m9p1ab' }, message: /guardrailVersion/ },
    { config: { ...config, guardrailVersion: 'latest' }, message: /guardrailVersion/ },
    { config: { ...config, guardrailId: '../escape' }, message: /guardrailId/ },
  ],
});

describe('texts that are more than the account may send at once', () => {
  const refusal = 'Input is too long: the request exceeds the maximum input size in text units';
  /** As an account with the least quota: a call holds 25 text units. */
  const limited = (status: number, message: string, judge: (texts: readonly string[]) => Json) => {
    const sent: (readonly string[])[] = [];
    const fetch: CheckNetwork = (_url, { body = '' }) => {
      const texts = asObjects(asObject(parseJson(body))?.content).map(
        ({ text }) => asString(asObject(text)?.text) ?? '',
      );
      const units = texts.reduce((sum, text) => sum + Math.ceil(text.length / 1000), 0);
      if (units > 25) return { status, headers: {}, body: Buffer.from(JSON.stringify({ message })) };
      sent.push(texts);
      return reply(judge(texts));
    };
    return { sent, host: createCheckHost({ credentials, fetch }) };
  };
  const none = () => ({ action: 'NONE' });
  const run = (host: CheckHost, texts: readonly string[], redact = false) =>
    runCheck(guard, { ...config, redact }, checkInput({ texts: texts.map((text) => ({ text })) }), host);

  for (const [status, message] of [
    [400, refusal],
    [429, 'Your request exceeds 25 text units.'],
  ] as const)
    it(`are sent in parts after a ${status}, and no word is lost at an end`, async () => {
      const { sent, host } = limited(status, message, none);
      const long = Array.from({ length: 6000 }, (_, at) => `word${at}`).join(' ');
      assert.equal((await run(host, ['Hello.', long, 'Bye.'])).pass, true);
      const parts = sent.flat();
      assert.deepEqual([parts[0], parts.at(-1)], ['Hello.', 'Bye.']);
      for (const word of long.split(' ')) assert.ok(parts.some((part) => part.includes(word)));
    });

  it('are many short ones, too', async () => {
    const { sent, host } = limited(400, refusal, none);
    const texts = Array.from({ length: 60 }, (_, at) => `Text ${at}.`);
    await run(host, texts);
    assert.deepEqual([sent.flat(), sent.map(({ length }) => length)], [texts, [25, 25, 10]]);
  });

  it('fail for what stands in any part', async () => {
    const topics = [{ name: 'Medicine', type: 'DENY', action: 'BLOCKED' }];
    const { host } = limited(400, refusal, ([text]) =>
      text?.includes('pills')
        ? { action: 'GUARDRAIL_INTERVENED', outputs: [], assessments: [{ topicPolicy: { topics } }] }
        : none(),
    );
    const verdict = await run(host, [`${'a '.repeat(20_000)}pills`]);
    assert.deepEqual([verdict.pass, verdict.data], [false, { reasons: ['topicPolicy: Medicine'] }]);
  });

  for (const action of ['BLOCKED', 'ANONYMIZED'])
    it(`are redacted where what is ${action} stands, also where parts overlap`, async () => {
      const { host } = limited(400, refusal, ([text = '']) =>
        text.includes('Ann')
          ? {
              action: 'GUARDRAIL_INTERVENED',
              assessments: [{ sensitiveInformationPolicy: { piiEntities: [{ type: 'NAME', match: 'Ann', action }] } }],
              outputs: [{ text: text.replaceAll('Ann', '{NAME}') }],
            }
          : none(),
      );
      const text = (who: string) => `${'a '.repeat(12_400)}${who} ${'b '.repeat(9000)}and ${who}.`;
      const input = checkInput({ texts: [{ text: text('Ann') }] });
      const verdict = await runCheck(guard, { ...config, redact: true }, input, host);
      assert.deepEqual([verdict.pass, editedTexts(input, verdict)], [true, [text('{NAME}')]]);
    });

  it('are an error where even a part is refused, or the refusal is of another kind', async () => {
    const refusing = (message: string) =>
      createCheckHost({
        credentials,
        fetch: () => ({ status: 429, headers: {}, body: Buffer.from(JSON.stringify({ message })) }),
      });
    await assert.rejects(run(refusing(refusal), ['Hello.']), { code: 'check_failed', message: /not even a part/ });
    await assert.rejects(run(refusing('Too many requests, please wait.'), ['Hello.']), { message: /status 429/ });
  });

  it('are an error where they take more calls than a check makes', async () => {
    const { host } = limited(400, refusal, none);
    await assert.rejects(run(host, ['a'.repeat(900_000)]), { code: 'check_failed', message: /characters at most/ });
    const many = Array.from({ length: 40 }, () => 'a'.repeat(20_000));
    await assert.rejects(run(host, many), { code: 'check_failed', message: /32 calls at most; here are 40/ });
  });
});

describe('keys of a role', () => {
  const rolesAssumed = async (lasts: number, ...given: JsonObject[]) => {
    const now = Date.UTC(2026, 0, 1);
    const assumed = { AccessKeyId: 'ASIA', SecretAccessKey: 's', SessionToken: 't', Expiration: now / 1000 + lasts };
    const fetch: CheckNetwork = ({ hostname }) =>
      reply(
        hostname.startsWith('sts.')
          ? { AssumeRoleResponse: { AssumeRoleResult: { Credentials: assumed } } }
          : { action: 'NONE' },
      );
    const { cache } = createCheckHost({ now });
    const hosts = given.map((credentials) => ({ ...createCheckHost({ credentials, fetch, now }), cache }));
    for (const host of hosts) await runCheck(guard, config, checkInput(), host);
    return hosts.flatMap(({ fetched }) => fetched).filter(({ url }) => url.hostname.startsWith('sts.')).length;
  };

  it('are kept for the next run', async () => {
    assert.equal(await rolesAssumed(3600, role, role), 1);
  });

  it('are not kept when they are about to end', async () => {
    assert.equal(await rolesAssumed(60, role, role), 2);
  });

  it('are not given to those who do not know the keys of the caller', async () => {
    assert.equal(await rolesAssumed(3600, role, { ...role, awsSecretAccessKey: 'a guess' }), 2);
  });
});

function found(...piiEntities: JsonObject[]) {
  return { action: 'GUARDRAIL_INTERVENED', assessments: [{ sensitiveInformationPolicy: { piiEntities } }] };
}

function says(body: Json) {
  return { credentials, fetch: () => reply(body) };
}

function reply(body: Json) {
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}
