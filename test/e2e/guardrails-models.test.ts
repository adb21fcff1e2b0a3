import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects, type JsonObject } from 'portcullis/sdk';
import { guarded, guardrailUnits, resultsOf, says } from '../plugins/guardrails/guarded.ts';
import { providerOf, workspaceOf } from '../support/directory.ts';
import { saved } from '../support/gateway.ts';
import { type Peer, type PeerRequest, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';
import { workspaceGateway } from '../support/workspaces.ts';

noUnhandledRejections();

const asks = (model: string, more: JsonObject = {}) => ({ 'model.injection': { model }, ...more });
const systemOf = ({ body }: PeerRequest) => String(asObjects(body.messages)[0]?.content);

/** Has the peer answer as a model would that finds the attack as likely as that. */
function judges(peer: Peer, score: number): void {
  peer.always((request) => {
    const code = /code is "([0-9a-f]+)"/.exec(systemOf(request))?.[1];
    const content = JSON.stringify({ code, score });
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    return {
      body: {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices,
        usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      },
    };
  });
}

async function started(t: Parameters<typeof guarded>[0], score = 0.9, fragment: JsonObject = {}) {
  const [judge, provider] = [await startPeer(t), await startPeer(t)];
  judges(judge, score);
  const gateway = await guarded(t, { providers: { judge: saved('openai', `${judge.origin}/v1`) }, ...fragment });
  return { ...gateway, judge, provider };
}

describe('a check that asks a model', () => {
  for (const [score, status] of [
    [0.9, 446],
    [0.1, 200],
  ] as const) {
    it(`gives its verdict by the answer: ${score}`, async (t) => {
      const { ask, judge, provider } = await started(t, score);
      const reply = await ask(
        target(provider, { input_guardrails: [asks('@judge/small', { deny: true })] }),
        says('the text'),
      );
      assert.deepEqual(
        [reply.status, judge.requests.length, provider.requests.length],
        [status, 1, status === 200 ? 1 : 0],
        reply.text,
      );
      const [question] = judge.requests;
      assert.deepEqual([question?.body.model, question?.headers.authorization], ['small', 'Bearer operator-key']);
      assert.ok(String(asObjects(question?.body.messages)[1]?.content).includes('the text'));
    });
  }

  it('leaves a record of its own, in the same trace', async (t) => {
    const { ask, provider, records } = await started(t, 0.1);
    await ask(target(provider, { input_guardrails: [asks('@judge/small')] }), says('x'), {
      headers: { 'x-gw-trace-id': 'trace-9' },
    });
    const all = await records(2);
    assert.deepEqual(
      all.map(({ traceId, providerSlug, status, usage }) => [traceId, providerSlug, status, usage?.input]),
      [
        ['trace-9', 'judge', 200, 7],
        ['trace-9', undefined, 200, all[1]?.usage?.input],
      ],
    );
    assert.notEqual(all[0]?.id, all[1]?.id);
    assert.equal(all[0]?.guardrails, undefined);
  });

  it('is not asked about its own question when it is a default for everybody', async (t) => {
    const checks = [{ id: 'model.injection', parameters: { model: '@judge/small' } }];
    const { ask, judge, provider } = await started(t, 0.1, {
      guardrails: { shield: { checks, actions: { deny: true } } },
      defaultGuardrails: { input: ['shield'], output: ['shield'] },
    } as unknown as JsonObject);
    const reply = await ask(target(provider));
    assert.deepEqual(
      [reply.status, judge.requests.length, resultsOf(reply).length, resultsOf(reply, 'after').length],
      [200, 2, 1, 1],
    );
  });

  const failures: readonly [string, string, (peer: Peer) => void][] = [
    ['has failed', '@judge/small', (peer) => peer.always({ status: 500 })],
    ['does not answer the question', '@judge/small', (peer) => peer.always({})],
    ['is of a provider that is not there', '@nobody/small', () => {}],
    ['is of a provider that nobody has set up', 'openai/small', () => {}],
  ];
  for (const [what, model, arrange] of failures) {
    it(`goes by its policy when the model ${what}, and the attempt is in the log`, async (t) => {
      const { ask, judge, provider, records } = await started(t);
      arrange(judge);
      const lists = (deny: boolean) => ({ input_guardrails: [asks(model, { deny })] });
      assert.equal((await ask(target(provider, lists(false)))).status, 200);
      const denied = await ask(target(provider, lists(true)));
      assert.equal(denied.status, 446);
      assert.match(JSON.stringify(resultsOf(denied)), /"check_failed"/);
      const inner = (await records(4)).filter(({ guardrails }) => guardrails === undefined);
      assert.equal(inner.length, 2);
    });
  }

  it('gives the question up when its time is over, and logs that too', async (t) => {
    const { ask, judge, provider, records } = await started(t);
    judge.always({ before: 'never' });
    const entry = { 'model.injection': { model: '@judge/small', timeout: 80 }, deny: true };
    const reply = await ask(target(provider, { input_guardrails: [entry] }));
    assert.equal(reply.status, 446);
    await judge.requests[0]?.abandoned;
    const inner = (await records(2)).find(({ guardrails }) => guardrails === undefined);
    assert.deepEqual([inner?.status, inner?.error], [499, 'client_closed']);
  });

  it('asks with the rights of its caller: providers of other workspaces are out of reach', async (t) => {
    const judge = await startPeer(t);
    judges(judge, 0.1);
    const customHost = `${judge.origin}/v1`;
    const gateway = await workspaceGateway(t, {
      workspaces: [workspaceOf('a'), workspaceOf('b')],
      providers: [providerOf('a', 'judge-a', { customHost }), providerOf('b', 'judge-b', { customHost })],
      callers: { alice: { workspace: 'a' } },
      fragment: { pluginFolders: [{ path: guardrailUnits, trust: 'trusted', requireSignature: false }] },
    });
    const status = async (model: string) => {
      const config = { provider: 'echo', input_guardrails: [asks(model, { deny: true })] };
      return (
        await gateway.post('/v1/chat/completions', says('x'), {
          'x-gw-api-key': 'alice',
          'x-gw-config': JSON.stringify(config),
        })
      ).status;
    };
    assert.deepEqual([await status('@judge-a/m'), await status('@judge-b/m')], [200, 446]);
    assert.deepEqual(
      judge.requests.map(({ headers }) => headers.authorization),
      ['Bearer key-of-judge-a'],
    );
  });
});
