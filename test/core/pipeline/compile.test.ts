import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type Hooks, type Outcome, type PhaseName, phaseNames, type RequestRecord } from 'portcullis/sdk';
import { compilePipeline, type ReadyPlugin } from '../../../core/pipeline/compile.ts';
import { exchangeOf, outcomeWith, targetOf } from '../../support/exchange.ts';
import { recordingLog } from '../../support/recording-log.ts';

function pluginOf(name: string, hooks: Hooks, serves: readonly string[] = []): ReadyPlugin {
  return { name, major: 1, version: '1.2.0', serves, hooks };
}

/** Lists each plugin in every phase that it implements, in the order given. */
function compiled(...plugins: readonly ReadyPlugin[]) {
  const order = Object.fromEntries(
    phaseNames.map((phase) => [phase, plugins.filter((plugin) => plugin.hooks[phase] !== undefined)]),
  );
  const { logged, log } = recordingLog();
  return { pipeline: compilePipeline(order as Record<PhaseName, ReadyPlugin[]>, log), logged };
}

const record = { id: 'r' } as RequestRecord;

const unasked = (): never => {
  throw new Error('nobody may see what was said here');
};
const boom = () => {
  throw new Error('boom');
};
const rejecting = () => Promise.reject(new Error('boom'));
const failures: readonly [string, () => never | Promise<never>][] = [
  ['throws', boom],
  ['rejects', rejecting],
];
const call = async (): Promise<Outcome> => outcomeWith();

type Run = (pipeline: ReturnType<typeof compilePipeline>) => unknown;
const runs: Readonly<Record<Exclude<PhaseName, 'settle' | 'log'>, Run>> = {
  identify: (pipeline) => pipeline.identify(exchangeOf()),
  resolve: (pipeline) => pipeline.resolve(exchangeOf()),
  admit: (pipeline) => pipeline.admit(exchangeOf()),
  prepare: (pipeline) => pipeline.prepare(targetOf()),
  beforeRequest: (pipeline) => pipeline.beforeRequest(targetOf()),
  lookup: (pipeline) => pipeline.lookup(targetOf()),
  attempt: (pipeline) => pipeline.attempt(targetOf(), call),
  afterRequest: (pipeline) => pipeline.afterRequest(targetOf(), outcomeWith()),
};
const closedPhases = ['identify', 'resolve', 'admit', 'prepare', 'beforeRequest', 'attempt', 'afterRequest'] as const;

/** A throw, at once or later, as one rejection. */
async function running(run: () => unknown): Promise<unknown> {
  return run();
}

describe('the listing of a pipeline', () => {
  it('names every phase in run order with its plugins', () => {
    const { pipeline } = compiled(
      pluginOf('a', { identify: () => undefined, log: () => {} }),
      pluginOf('b', { identify: () => undefined }),
    );
    assert.deepEqual(
      pipeline.rows.map((row) => row.phase),
      [...phaseNames],
    );
    assert.deepEqual(
      pipeline.rows.filter((row) => row.plugins.length > 0),
      [
        { phase: 'identify', scope: 'request', kind: 'first', fail: 'closed', plugins: ['a@1', 'b@1'] },
        { phase: 'log', scope: 'request', kind: 'detached', fail: 'open', plugins: ['a@1'] },
      ],
    );
  });

  it('gathers what its plugins serve', () => {
    const { pipeline } = compiled(
      pluginOf('a', { log: () => {} }, ['x']),
      pluginOf('b', { log: () => {} }, ['y', 'x']),
    );
    assert.deepEqual([...pipeline.serves].sort(), ['x', 'y']);
  });

  it('is open where a plugin that identifies says so', () => {
    assert.equal(compiled(pluginOf('a', { open: true, identify: () => undefined })).pipeline.open, true);
    assert.equal(compiled(pluginOf('a', { open: true, log: () => {} })).pipeline.open, false);
  });

  it('refuses a plugin in a phase that it does not implement, naming both', () => {
    const order = Object.fromEntries(phaseNames.map((phase) => [phase, [] as ReadyPlugin[]])) as Record<
      PhaseName,
      ReadyPlugin[]
    >;
    order.admit.push(pluginOf('a', { log: () => {} }));
    assert.throws(() => compilePipeline(order, recordingLog().log), {
      code: 'invalid_config',
      param: 'phases.admit',
      message: 'The plugin a does not implement the phase admit; it implements: log.',
    });
  });
});

describe('a phase of kind first', () => {
  for (const later of [false, true]) {
    const answer = <T>(value: T) => (later ? Promise.resolve(value) : value);
    it(`stops at the first answer, ${later ? 'promised' : 'at once'}`, async () => {
      const asked: string[] = [];
      const who = (name: string, id?: string) =>
        pluginOf(name, {
          identify: () => {
            asked.push(name);
            return answer(id === undefined ? undefined : { id, kind: 'key' as const });
          },
        });
      const { pipeline } = compiled(who('a'), who('b', 'p'), who('c', 'q'));
      assert.equal((await pipeline.identify(exchangeOf()))?.id, 'p');
      assert.deepEqual(asked, ['a', 'b']);
    });

    it(`takes null for no answer, ${later ? 'promised' : 'at once'}`, async () => {
      const { pipeline } = compiled(
        pluginOf('a', { identify: () => answer(null) as never }),
        pluginOf('b', { identify: () => ({ id: 'p', kind: 'key' }) }),
      );
      assert.equal((await pipeline.identify(exchangeOf()))?.id, 'p');
    });
  }

  it('gives nothing where nobody answers', async () => {
    assert.equal(
      await compiled(pluginOf('a', { identify: () => undefined })).pipeline.identify(exchangeOf()),
      undefined,
    );
    assert.equal(await compiled(pluginOf('a', { lookup: () => undefined })).pipeline.lookup(targetOf()), undefined);
  });
});

describe('a phase of kind chain', () => {
  it('hands each plugin the body that the last one made', async () => {
    const add = (name: string, later: boolean) =>
      pluginOf(name, {
        prepare: ({ body }) => {
          const made = { ...body, seen: `${String(body.seen ?? '')}${name}` };
          return later ? Promise.resolve(made) : made;
        },
      });
    for (const later of [
      [false, false, false],
      [true, false, true],
      [false, true, false],
    ]) {
      const { pipeline } = compiled(...later.map((promised, index) => add('abc'[index] ?? '', promised)));
      assert.equal((await pipeline.prepare(targetOf())).seen, 'abc');
    }
  });

  it('gives the very body back where nobody changes it', () => {
    const target = targetOf();
    const { pipeline } = compiled(pluginOf('a', { prepare: () => undefined, beforeRequest: () => undefined }));
    assert.equal(pipeline.prepare(target), target.body);
    assert.equal(pipeline.beforeRequest(target), target.body);
  });

  it('leaves the target itself as it was', async () => {
    const target = Object.freeze(targetOf());
    await compiled(pluginOf('a', { prepare: () => ({ model: 'x' }) })).pipeline.prepare(target);
    assert.equal(target.body.model, 'm');
  });

  it('merges resolutions field by field, the later winning', async () => {
    const { pipeline } = compiled(
      pluginOf('a', { resolve: () => ({ config: 'one', metadata: { a: '1' } }) }),
      pluginOf('b', { resolve: () => undefined }),
      pluginOf('c', { resolve: () => Promise.resolve({ config: 'two' }) }),
    );
    assert.deepEqual(await pipeline.resolve(exchangeOf()), { config: 'two', metadata: { a: '1' } });
  });

  it('hands out the one resolution as it is, since plans are kept by it', () => {
    const resolution = { config: 'one' };
    assert.equal(
      compiled(
        pluginOf('a', { resolve: () => resolution }),
        pluginOf('b', { resolve: () => undefined }),
      ).pipeline.resolve(exchangeOf()),
      resolution,
    );
  });

  it('passes the outcome through afterRequest', async () => {
    const other = outcomeWith({ status: 446 });
    const seen: number[] = [];
    const { pipeline } = compiled(
      pluginOf('a', { afterRequest: () => other }),
      pluginOf('b', {
        afterRequest: (_, outcome) => {
          seen.push(outcome.status);
          return undefined;
        },
      }),
    );
    assert.equal(await pipeline.afterRequest(targetOf(), outcomeWith()), other);
    assert.deepEqual(seen, [446]);
  });
});

describe('a hook that returns no promise', () => {
  for (const phase of ['identify', 'resolve', 'admit', 'prepare', 'beforeRequest', 'lookup', 'afterRequest'] as const) {
    it(`is not awaited in ${phase}`, () => {
      const hooks = { [phase]: () => undefined } as Hooks;
      assert.ok(!(runs[phase](compiled(pluginOf('a', hooks), pluginOf('b', hooks)).pipeline) instanceof Promise));
    });
  }

  it('is not awaited in settle', () => {
    assert.ok(
      !(compiled(pluginOf('a', { settle: () => {} })).pipeline.settle(exchangeOf(), record) instanceof Promise),
    );
  });
});

describe('a phase that fails closed', () => {
  for (const phase of closedPhases) {
    for (const [how, fail] of failures) {
      it(`ends ${phase} when a plugin ${how}, and names the plugin without its words`, async () => {
        const { pipeline } = compiled(pluginOf('broken', { [phase]: fail } as Hooks));
        await assert.rejects(
          running(() => runs[phase](pipeline)),
          { code: 'plugin_failed', status: 500, message: 'The plugin broken failed.' },
        );
      });
    }

    it(`lets through what a plugin refuses in ${phase}`, async () => {
      const refusal = new GatewayError('forbidden', 'Not today.');
      const { pipeline } = compiled(
        pluginOf('a', {
          [phase]: () => {
            throw refusal;
          },
        } as Hooks),
      );
      await assert.rejects(
        running(() => runs[phase](pipeline)),
        refusal,
      );
    });

    it(`asks nobody after a failure in ${phase}`, async () => {
      let asked = 0;
      const { pipeline } = compiled(
        pluginOf('a', { [phase]: rejecting } as Hooks),
        pluginOf('b', {
          [phase]: () => {
            asked += 1;
          },
        } as Hooks),
      );
      await assert.rejects(running(() => runs[phase](pipeline)));
      assert.equal(asked, 0);
    });
  }
});

describe('a phase that fails open', () => {
  for (const [how, fail] of failures) {
    it(`goes on with the next plugin when one ${how} in lookup, and logs its name`, async () => {
      const found = outcomeWith();
      const { pipeline, logged } = compiled(
        pluginOf('broken', { lookup: fail }),
        pluginOf('b', { lookup: () => found }),
      );
      assert.equal(await pipeline.lookup(targetOf()), found);
      assert.deepEqual(
        logged.map(({ event, fields }) => [event, fields.phase, fields.plugin]),
        [['plugin_failed', 'lookup', 'broken']],
      );
    });

    it(`goes on with the next plugin when one ${how} in settle, in order`, async () => {
      const order: string[] = [];
      const { pipeline, logged } = compiled(
        pluginOf('slow', {
          settle: async () => {
            await new Promise(setImmediate);
            order.push('slow');
          },
        }),
        pluginOf('broken', { settle: fail }),
        pluginOf('b', {
          settle: () => {
            order.push('b');
          },
        }),
      );
      await pipeline.settle(exchangeOf(), record);
      assert.deepEqual([order, logged.map(({ fields }) => fields.plugin)], [['slow', 'b'], ['broken']]);
    });

    it(`goes on with the next plugin when one ${how} in log, and waits for none`, async () => {
      const order: string[] = [];
      const { pipeline, logged } = compiled(
        pluginOf('slow', { log: () => new Promise(() => {}) }),
        pluginOf('broken', { log: fail }),
        pluginOf('b', {
          log: () => {
            order.push('b');
          },
        }),
      );
      pipeline.log(record, unasked);
      assert.deepEqual(order, ['b']);
      await new Promise(setImmediate);
      assert.deepEqual(
        logged.map(({ fields }) => fields.plugin),
        ['broken'],
      );
    });
  }
});

describe('the attempt', () => {
  it('nests its plugins, the first outermost', async () => {
    const order: string[] = [];
    const wrap = (name: string) =>
      pluginOf(name, {
        attempt: async (_, next) => {
          order.push(`${name}>`);
          const outcome = await next();
          order.push(`<${name}`);
          return outcome;
        },
      });
    await compiled(wrap('a'), wrap('b')).pipeline.attempt(targetOf(), async () => {
      order.push('call');
      return outcomeWith();
    });
    assert.deepEqual(order, ['a>', 'b>', 'call', '<b', '<a']);
  });

  it('lets a plugin call again, and what is inside it with it', async () => {
    const calls: string[] = [];
    const { pipeline } = compiled(
      pluginOf('twice', {
        attempt: async (_, next) => {
          await next();
          return next();
        },
      }),
      pluginOf('inner', {
        attempt: (_, next) => {
          calls.push('inner');
          return next();
        },
      }),
    );
    await pipeline.attempt(targetOf(), async () => {
      calls.push('call');
      return outcomeWith();
    });
    assert.deepEqual(calls, ['inner', 'call', 'inner', 'call']);
  });

  it('is the call itself where no plugin wraps it', async () => {
    const outcome = outcomeWith();
    assert.equal(await compiled().pipeline.attempt(targetOf(), async () => outcome), outcome);
  });

  it('blames no plugin for what the call throws', async () => {
    const { pipeline } = compiled(pluginOf('a', { attempt: (_, next) => next() }));
    await assert.rejects(
      pipeline.attempt(targetOf(), () => Promise.reject(new GatewayError('client_closed', 'gone'))),
      { code: 'client_closed' },
    );
  });
});

describe('closing a pipeline', () => {
  it('closes every plugin once, the last first, also when one of them fails', async () => {
    const order: string[] = [];
    const closing = (name: string, fail?: () => never | Promise<never>) =>
      pluginOf(name, {
        log: () => {},
        settle: () => {},
        close: () => {
          order.push(name);
          return fail?.();
        },
      });
    const { pipeline, logged } = compiled(closing('a'), closing('b', boom), closing('c', rejecting), closing('d'));
    await pipeline.close();
    assert.deepEqual(order, ['d', 'c', 'b', 'a']);
    assert.deepEqual(
      logged.map(({ fields }) => fields.plugin),
      ['c', 'b'],
    );
  });
});
