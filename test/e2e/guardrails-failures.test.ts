import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { guarded, resultsOf, said, says, without } from '../plugins/guardrails/guarded.ts';
import { type Act, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { indexOf, retriesOf, target } from '../support/routed.ts';

noUnhandledRejections();

const firstCheck = (hook: JsonObject | undefined) => asObjects(hook?.checks)[0];
const crashes: readonly [string, JsonObject][] = [
  ['throws', { 'test-probe.crashes': {} }],
  ['rejects', { 'test-probe.crashes': { later: true } }],
  ['gives no verdict', { 'test-probe.silent': {} }],
  ['edits without having said so', { 'test-probe.meddles': {} }],
];

describe('a check that fails', () => {
  const policies: readonly [string, JsonObject, JsonObject, number][] = [
    ['passes where its guardrail does not deny', {}, {}, 200],
    ['denies where its guardrail denies', {}, { deny: true }, 446],
    ['passes where it says so', { on_error: 'pass' }, { deny: true }, 200],
    ['counts as failed where it says so', { on_error: 'deny' }, {}, 246],
    ['counts as failed by the older word', { failOnError: true }, {}, 246],
    ['passes by the older word', { failOnError: false }, { deny: true }, 200],
  ];
  for (const [what, parameters, actions, status] of policies) {
    it(what, async (t) => {
      const { ask } = await guarded(t);
      for (const [how, check] of crashes) {
        const [[id = '', own] = []] = Object.entries(check);
        const entry = { [id]: { ...(own as JsonObject), ...parameters }, ...actions };
        for (const list of ['input_guardrails', 'output_guardrails'])
          assert.equal((await ask({ [list]: [entry] })).status, status, `${how}, ${list}`);
      }
    });
  }

  it('counts as failed by the older word too where that is a parameter of its own', async (t) => {
    const { ask } = await guarded(t);
    const image_url = { url: 'http://127.0.0.1:1/a.png' };
    const body = { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] };
    for (const [failOnError, status] of [
      [true, 246],
      [false, 200],
    ] as const) {
      const guard = { 'default.inlineImages': { failOnError } };
      assert.equal((await ask({ input_guardrails: [guard] }, body)).status, status);
    }
  });

  it('is told by a code, and never with what it has seen', async (t) => {
    const { ask, log, records } = await guarded(t);
    const reply = await ask({ input_guardrails: [{ 'test-probe.crashes': {} }] }, says('the canary'));
    const check = firstCheck(resultsOf(reply)[0]);
    assert.deepEqual(
      [check?.verdict, check?.error, check?.data],
      [false, { name: 'check_failed', message: 'test-probe.crashes failed.' }, null],
    );
    const [record] = await records(1);
    assert.deepEqual(record?.guardrails?.[0]?.checks[0]?.error, 'check_failed');
    const told = log.find(({ event }) => event === 'check_crashed');
    assert.deepEqual(told?.fields, {
      plugin: 'guardrails',
      check: 'test-probe.crashes',
      unit: 'test-probe@1.2.3',
      error: 'TypeError',
    });
    assert.equal(JSON.stringify(log).includes('canary'), false);
  });
});

describe('a check that asks a place of its own', () => {
  const started = async (t: Parameters<typeof guarded>[0], ...acts: readonly Act[]) => {
    const peer = await startPeer(t);
    peer.next(...acts);
    const gateway = await guarded(t);
    const webhook = (parameters: JsonObject = {}, actions: JsonObject = {}) => ({
      input_guardrails: [{ 'default.webhook': { webhookURL: `${peer.origin}/hook`, ...parameters }, ...actions }],
    });
    return { ...gateway, peer, webhook };
  };

  it('gives its verdict', async (t) => {
    const { ask, webhook } = await started(t, { body: { verdict: true } }, { body: { verdict: false } });
    assert.equal((await ask(webhook({}, { deny: true }))).status, 200);
    assert.equal((await ask(webhook({}, { deny: true }))).status, 446);
  });

  const failures: readonly [string, Act][] = [
    ['an error', { status: 503, body: {} }],
    ['something that is no JSON', { body: 'nonsense' }],
    ['something that is no verdict', { body: { verdict: 'yes' } }],
    ['nothing', { body: '{', ending: 'cut' }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1/' }, body: {} }],
  ];
  for (const [what, act] of failures) {
    it(`goes by its policy when the place answers with ${what}`, async (t) => {
      const { ask, webhook } = await started(t, act, act, act);
      assert.equal((await ask(webhook())).status, 200);
      assert.equal((await ask(webhook({ on_error: 'deny' }))).status, 246);
      const denied = await ask(webhook({}, { deny: true }));
      assert.equal(denied.status, 446);
      assert.equal(asObject(firstCheck(resultsOf(denied)[0])?.error)?.name, 'check_failed');
    });
  }

  it('goes by its policy when the place is silent, and gives the call up', async (t) => {
    const { ask, webhook, peer } = await started(t, { before: 'never' });
    const denied = await ask(webhook({ timeout: 50 }, { deny: true }));
    assert.equal(denied.status, 446);
    assert.match(String(asObject(firstCheck(resultsOf(denied)[0])?.error)?.message), /webhook/);
    await peer.requests[0]?.abandoned;
  });

  it('goes by its policy when nobody may be called there', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t, { server: { trustedHosts: [] } });
    const entry = { 'default.webhook': { webhookURL: `${peer.origin}/hook` }, deny: true };
    assert.equal((await ask({ input_guardrails: [entry] })).status, 446);
    assert.equal(peer.requests.length, 0);
  });

  it('gives the call up when the client leaves', async (t) => {
    const { url, webhook, peer } = await started(t, { before: 'never' });
    const leaving = new AbortController();
    const sent = fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-config': JSON.stringify({ provider: 'echo', ...webhook() }),
      },
      body: JSON.stringify(says('x')),
      signal: leaving.signal,
    });
    const { abandoned } = await peer.request(0);
    leaving.abort();
    await assert.rejects(sent, { name: 'AbortError' });
    await abandoned;
  });

  it('changes texts by what comes back', async (t) => {
    const transformedData = { request: { json: says('changed') } };
    const { ask, webhook } = await started(t, { body: { verdict: true, transformedData } });
    const reply = await ask(webhook(), says('given'));
    assert.deepEqual([said(reply), resultsOf(reply)[0]?.transformed], ['changed', true]);
  });

  it('carries the headers that were asked for, and a trace', async (t) => {
    const { ask, webhook, peer } = await started(t, { body: { verdict: true } });
    const headers = {
      'x-tenant': 'ours',
      'x-team': 'theirs',
      'x-other': 'no',
      'x-gw-trace-id': '0af7651916cd43dd8448eb211c80319c',
      authorization: 'Bearer client-canary',
    };
    await ask(
      webhook({ forwardHeaders: ['X-Tenant', 'x-team', 'x-missing'], headers: { 'X-Team': 'own' } }),
      says('x'),
      { headers },
    );
    const sent = peer.requests[0]?.headers ?? {};
    assert.deepEqual(
      [sent['x-tenant'], sent['x-team'], sent['x-other'], sent['x-missing'], sent.authorization],
      ['ours', 'own', undefined, undefined, undefined],
    );
    assert.equal(sent.traceparent, '00-0af7651916cd43dd8448eb211c80319c-0af7651916cd43dd-01');
    assert.equal(peer.requests[0]?.bytes.includes('client-canary'), false);
  });

  for (const name of [
    'Authorization',
    'x-api-key',
    'cookie',
    'x-gw-api-key',
    'x-portkey-virtual-key',
    'host',
    'content-length',
    'metadata-flavor',
    'transfer-encoding',
    'a b',
  ]) {
    it(`may not be given the header ${name}`, async (t) => {
      const { ask, webhook } = await started(t);
      const reply = await ask(webhook({ forwardHeaders: [name] }));
      assert.deepEqual(
        [reply.status, asObject(reply.json.error)?.param],
        [400, 'input_guardrails[0].default.webhook.forwardHeaders'],
      );
    });
  }
});

describe('the credential of a check', () => {
  const canary = 'canary-of-the-vendor';
  const scan = (origin: string, more: JsonObject = {}) => ({ 'test-vendor.scan': { url: `${origin}/scan`, ...more } });

  it('of the file goes to the vendor and appears nowhere else, whatever the vendor says', async (t) => {
    const peer = await startPeer(t);
    const gateway = await guarded(t, { guardrailCredentials: { 'test-vendor': { apiKey: canary } } });
    const { ask, records, log } = gateway;
    const acts: readonly Act[] = [
      { body: { pass: true } },
      { body: { pass: false } },
      { status: 401, body: { error: canary } },
    ];
    peer.next(...acts);
    const replies: string[] = [];
    for (const _ of acts)
      replies.push((await ask({ input_guardrails: [{ ...scan(peer.origin), on_fail: { feedback: {} } }] })).text);
    assert.deepEqual(
      peer.requests.map(({ headers }) => headers['x-vendor-key']),
      [canary, canary, canary],
    );
    await records(3);
    const explained = await gateway.gateway.explain({
      headers: { 'x-gw-config': JSON.stringify({ provider: 'echo', input_guardrails: [scan(peer.origin)] }) },
      body: says('x'),
    });
    for (const shown of [...replies, JSON.stringify(log), JSON.stringify(explained)])
      assert.equal(shown.includes(canary), false);
  });

  it('that came with the guardrail is shown nowhere either', async (t) => {
    const peer = await startPeer(t);
    peer.always({ status: 500, body: {} });
    const { ask, records, log } = await guarded(t);
    const entry = { ...scan(peer.origin, { credentials: { apiKey: canary } }), deny: true };
    const reply = await ask({ input_guardrails: [entry] });
    assert.deepEqual([reply.status, peer.requests[0]?.headers['x-vendor-key']], [446, canary]);
    await records(1);
    assert.equal(`${reply.text}${JSON.stringify(log)}`.includes(canary), false);
    const wrong = await ask({
      input_guardrails: [scan(peer.origin, { credentials: { apiKey: canary, extra: canary } })],
    });
    assert.deepEqual([wrong.status, wrong.text.includes(canary)], [400, false]);
  });

  it('that is missing is told by the name of the unit', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask({ input_guardrails: [{ ...scan('http://127.0.0.1:1'), deny: true }] });
    assert.equal(reply.status, 446);
    assert.match(String(asObject(firstCheck(resultsOf(reply)[0])?.error)?.message), /test-vendor needs credentials/);
  });
});

describe('a denial and routing', () => {
  const denied = { input_guardrails: [{ ...without('bad'), deny: true }] };
  const cases: readonly [string, JsonObject, JsonObject, number, string | null][] = [
    ['of the request lets a fallback go on', { mode: 'fallback' }, denied, 200, 'config.targets[1]'],
    [
      'of the request lets a fallback go on that lists it',
      { mode: 'fallback', on_status_codes: [446] },
      denied,
      200,
      'config.targets[1]',
    ],
    [
      'of the request ends a fallback that lists others',
      { mode: 'fallback', on_status_codes: [500] },
      denied,
      446,
      'config.targets[0]',
    ],
    [
      'of the reply lets a fallback go on',
      { mode: 'fallback', on_status_codes: [446] },
      { output_guardrails: denied.input_guardrails },
      200,
      'config.targets[1]',
    ],
    [
      'that is none is a success for a fallback',
      { mode: 'fallback' },
      { input_guardrails: [without('bad')] },
      246,
      'config.targets[0]',
    ],
    [
      'that is none is one even where its status is listed for others',
      { mode: 'fallback', on_status_codes: [446] },
      { output_guardrails: [without('bad')] },
      246,
      'config.targets[0]',
    ],
  ];
  for (const [what, strategy, lists, status, index] of cases) {
    it(what, async (t) => {
      const { ask } = await guarded(t);
      const reply = await ask(
        { strategy, targets: [{ provider: 'echo', ...lists }, { provider: 'echo' }] },
        says('bad'),
      );
      assert.deepEqual([reply.status, indexOf(reply)], [status, index], reply.text);
    });
  }

  it('of the reply has the provider asked again where retry lists 446', async (t) => {
    const peer = await startPeer(t);
    const answer = (content: string) => ({
      body: {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      },
    });
    peer.next(answer('bad'), answer('bad'), answer('good'));
    const { ask, records } = await guarded(t, {}, { sleep: async () => {} });
    const lists = {
      input_guardrails: [{ id: 'in', ...without('none') }],
      output_guardrails: [
        { id: 'out', ...without('bad'), deny: true },
        { id: 'later', ...without('bad'), async: true },
      ],
    };
    const reply = await ask(target(peer, { retry: { attempts: 3, on_status_codes: [446] }, ...lists }));
    assert.deepEqual([reply.status, said(reply), retriesOf(reply), peer.requests.length], [200, 'good', '2', 3]);
    const [record] = await records(1);
    assert.deepEqual(
      record?.guardrails?.map(({ id, verdict }) => [id, verdict]),
      [
        ['in', true],
        ['out', false],
        ['out', false],
        ['out', true],
        ['later', true],
      ],
    );
  });

  it('of the reply is final where retry does not list 446', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t, {}, { sleep: async () => {} });
    const lists = { output_guardrails: [{ 'test-probe.later': { pass: false }, deny: true }] };
    const reply = await ask(target(peer, { retry: { attempts: 3 }, ...lists }));
    assert.deepEqual([reply.status, peer.requests.length], [446, 1]);
  });
});
