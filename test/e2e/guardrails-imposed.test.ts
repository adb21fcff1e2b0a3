import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { errorOf, type Guarded, guarded, resultsOf, said, says, without } from '../plugins/guardrails/guarded.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const replace = (rule: string, redactText = '', more: JsonObject = {}): JsonObject => ({
  'default.regexReplace': { rule, redactText },
  ...more,
});
const saved = (id: string, parameters: JsonObject, actions: JsonObject = {}) => ({
  checks: [{ id, parameters }],
  actions,
});
const guardrails = {
  words: saved('default.contains', { operator: 'none', words: ['badword'] }, { deny: true }),
  'words-in-turn': saved(
    'default.contains',
    { operator: 'none', words: ['badword'] },
    { deny: true, sequential: true },
  ),
  'words-in-shadow': saved(
    'default.contains',
    { operator: 'none', words: ['badword'] },
    { deny: true, mode: 'shadow' },
  ),
  mask: saved('default.regexReplace', { rule: 'secret123', redactText: '***' }),
  'mask-in-turn': saved('default.regexReplace', { rule: 'secret123', redactText: '***' }, { sequential: true }),
  prefix: saved('default.addPrefix', { prefix: 'Be kind. ', applyToRole: 'system', addToExisting: true }),
};
type Test = Parameters<typeof guarded>[0];
const imposing = (t: Test, defaultGuardrails: { input?: string[]; output?: string[] }): Promise<Guarded> =>
  guarded(t, { guardrails, defaultGuardrails });

const ways: Readonly<Record<string, (own: JsonObject) => JsonObject>> = {
  'a guardrail beside it': (own) => ({ input_guardrails: [own] }),
  'a guardrail in sequence': (own) => ({ input_guardrails: [{ ...own, sequential: true }] }),
  'a mutator': (own) => ({ input_mutators: [own] }),
};

describe('a default that denies', () => {
  for (const [way, lists] of Object.entries(ways)) {
    for (const name of ['words', 'words-in-turn']) {
      it(`(${name}) denies what ${way} of the caller puts together`, async (t) => {
        const peer = await startPeer(t);
        const { ask } = await imposing(t, { input: [name] });
        const reply = await ask(target(peer, lists(replace('§'))), says('a bad§word'));
        assert.deepEqual([reply.status, peer.requests.length], [446, 0]);
        assert.equal(resultsOf(reply).find(({ id }) => id === name)?.verdict, false);
      });
    }
  }

  it('denies what the caller would take away before a sequential default looks', async (t) => {
    const { ask } = await imposing(t, { input: ['words-in-turn'] });
    assert.equal((await ask({ input_guardrails: [replace('badword', 'x')] }, says('badword'))).status, 446);
  });

  it('denies on the reply what the caller puts together there', async (t) => {
    const { ask } = await imposing(t, { output: ['words'] });
    for (const list of ['output_guardrails', 'output_mutators'])
      assert.equal((await ask({ [list]: [replace('§')] }, says('a bad§word'))).status, 446);
  });

  it('denies what another default puts together', async (t) => {
    const { ask } = await guarded(t, {
      guardrails: { ...guardrails, clean: saved('default.regexReplace', { rule: '§', redactText: '' }) },
      defaultGuardrails: { input: ['clean', 'words'] },
    });
    assert.equal((await ask({}, says('bad§word'))).status, 446);
  });

  it('holds when the caller names it too', async (t) => {
    const { ask } = await imposing(t, { input: ['words'] });
    const reply = await ask({ input_guardrails: ['words', replace('§')] }, says('bad§word'));
    assert.deepEqual([reply.status, resultsOf(reply).length], [446, 2]);
  });

  it('lets pass what the caller makes of it otherwise, and tells one run', async (t) => {
    const { ask } = await imposing(t, { input: ['words'] });
    const reply = await ask({ input_mutators: [replace('§', '-')] }, says('bad§word'));
    assert.deepEqual([reply.status, said(reply)], [200, 'bad-word']);
    assert.deepEqual(
      resultsOf(reply).map(({ id }) => id),
      ['words', 'input_mutators_0'],
    );
  });

  it('in shadow looks once, and has no effect', async (t) => {
    const { ask } = await imposing(t, { input: ['words-in-shadow'] });
    const reply = await ask({ input_mutators: [replace('§')] }, says('bad§word'));
    assert.deepEqual([reply.status, said(reply), resultsOf(reply)[0]?.verdict], [200, 'badword', true]);
  });

  it('is no bar to guardrails that a caller puts together without one', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask(
      { input_guardrails: [{ ...without('badword'), deny: true }], input_mutators: [replace('§')] },
      says('bad§word'),
    );
    assert.deepEqual([reply.status, said(reply)], [200, 'badword']);
  });
});

describe('a default that masks', () => {
  const tricks: Readonly<Record<string, readonly JsonObject[]>> = {
    'says it in other words': [replace('secret123', 'S-ecret-123')],
    'says more than is masked': [replace('(.*)secret123(.*)', '$1S-ecret-123$2')],
    'says it around what is masked': [replace('is (secret)', '$1 is '), replace('3 ok', '3 secret ok')],
    'changes each character': [...'secr123'].map((letter) => replace(letter, `${letter}.`)),
  };
  for (const [what, lists] of Object.entries(tricks)) {
    for (const name of ['mask', 'mask-in-turn']) {
      it(`(${name}) leaves nothing to a caller who ${what}`, async (t) => {
        const { ask } = await imposing(t, { output: [name] });
        for (const type of ['guardrail', 'mutator']) {
          const reply = await ask(
            { output_guardrails: lists.map((own) => ({ ...own, type })) },
            says('it is secret123 ok'),
          );
          assert.equal(reply.status, 200, reply.text);
          const letters = String(said(reply))
            .replaceAll(/[^a-z0-9*]/gi, '')
            .toLowerCase();
          assert.ok(letters.includes('***') && !letters.includes('secret123'), String(said(reply)));
          assert.ok(!String(said(reply)).includes('S-ecret'), String(said(reply)));
        }
      });
    }
  }

  it('masks what mutators of the caller put together', async (t) => {
    const { ask } = await imposing(t, { input: ['mask'] });
    const reply = await ask({ input_mutators: [replace('§')] }, says('sec§ret123, secret123'));
    assert.deepEqual([reply.status, said(reply)], [200, '***, ***']);
  });

  it('keeps the edits of the caller that have nothing to do with it', async (t) => {
    const { ask } = await imposing(t, { output: ['mask'] });
    const reply = await ask({ output_guardrails: [replace('ada', '[NAME]')] }, says('ada says secret123 to ada'));
    assert.equal(said(reply), '[NAME] says *** to [NAME]');
  });

  it('keeps hidden what a wider edit of the caller hides as well', async (t) => {
    const { ask } = await imposing(t, { output: ['mask'] });
    const reply = await ask({ output_guardrails: [replace('ada has secret123', '[X]')] }, says('ada has secret123!'));
    assert.equal(said(reply), '***!');
  });
});

describe('a default that adds', () => {
  const systemOf = async (t: Test, lists: JsonObject) => {
    const peer = await startPeer(t);
    const { ask } = await imposing(t, { input: ['prefix'] });
    const messages = [
      { role: 'system', content: 'Hi.' },
      { role: 'user', content: 'x y' },
    ];
    assert.equal((await ask(target(peer, lists), { model: 'm', messages })).status, 200);
    return asObjects(asObject(peer.requests[0]?.body)?.messages)[0]?.content;
  };

  it('adds once, whatever a caller changes elsewhere', async (t) => {
    assert.equal(await systemOf(t, { input_mutators: [replace('x', 'z')] }), 'Be kind. Hi.');
  });

  it('adds again what a caller has taken away', async (t) => {
    const away = { 'default.regexReplace': { rule: 'Be kind. ', redactText: '', scan_scope: 'all_messages' } };
    assert.equal(await systemOf(t, { input_mutators: [away] }), 'Be kind. Hi.');
  });
});

describe('the checks of a config that came with a request', () => {
  const many = (count: number) => Array.from({ length: count }, () => without('bad'));

  it('are at most 20 for a target, in all of its lists', async (t) => {
    const { ask } = await guarded(t);
    const lists = { input_guardrails: many(10), output_guardrails: many(9) };
    assert.equal((await ask({ ...lists, input_mutators: [replace('a')] })).status, 200);
    const reply = await ask({ ...lists, input_mutators: [replace('a'), replace('b')] });
    assert.deepEqual([reply.status, errorOf(reply).code], [400, 'invalid_config']);
    assert.match(String(errorOf(reply).message), /21 checks.*at most 20/);
  });

  it('count for each target, with those that it inherits', async (t) => {
    const { ask } = await guarded(t);
    const config = (count: number) => ({
      strategy: { mode: 'fallback' },
      output_guardrails: many(10),
      targets: [many(10), many(count)].map((input_guardrails) => ({ provider: 'echo', input_guardrails })),
    });
    assert.equal((await ask(config(10))).status, 200);
    const reply = await ask(config(11));
    assert.deepEqual([reply.status, errorOf(reply).param], [400, 'config.targets[1]']);
  });

  it('may be more where the config is saved', async (t) => {
    const { post } = await guarded(t, {
      configs: { main: { provider: 'echo', input_guardrails: many(21) } },
      defaultConfig: 'main',
    });
    assert.equal((await post('/v1/chat/completions', says('x'))).status, 200);
  });
});

describe('the time that checks of a request may take up', () => {
  /** A clock that moves by as much with each look at it. */
  const slow = (ms: number) => {
    let now = 1_700_000_000_000;
    return {
      now: () => {
        now += ms;
        return now;
      },
    };
  };
  const lists = { input_guardrails: Array.from({ length: 5 }, () => without('absent')) };
  const errors = (reply: Parameters<typeof resultsOf>[0]) =>
    resultsOf(reply).map(({ checks }) => asObject(asObjects(checks)[0]?.error)?.name);

  it('is 2 s: what comes later fails', async (t) => {
    const { ask } = await guarded(t, {}, slow(900));
    const reply = await ask(lists);
    assert.deepEqual([errors(reply).at(0), errors(reply).at(-1)], [undefined, 'check_failed']);
    assert.match(reply.text, /the checks of this request have used up their time/);
    assert.equal(reply.status, 200);
  });

  it('denies where the guardrail denies', async (t) => {
    const { ask } = await guarded(t, {}, slow(900));
    const denying = lists.input_guardrails.map((own) => ({ ...own, deny: true }));
    assert.equal((await ask({ input_guardrails: denying })).status, 446);
  });

  it('is not taken from defaults by what a caller brings', async (t) => {
    const { ask } = await guarded(t, { guardrails, defaultGuardrails: { input: ['mask'] } }, slow(900));
    const reply = await ask(lists, says('secret123'));
    assert.equal(said(reply), '***');
  });
});
