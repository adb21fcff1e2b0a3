import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUrlGuard } from '../../../core/upstream/url-guard/guard.ts';
import { withPatience } from '../../../core/upstream/url-guard/patience.ts';
import { type ResolvedAddress, resolveChecked } from '../../../core/upstream/url-guard/resolution.ts';

/** A resolver that answers every name with the same addresses, with a family that is wrong on purpose. */
const answering = (...addresses: readonly string[]) => {
  return async () => addresses.map((address): ResolvedAddress => ({ address, family: 4 }));
};

/** A resolver whose answers the test gives by hand. */
function handResolver() {
  const open = new Map<string, PromiseWithResolvers<readonly ResolvedAddress[]>>();
  return {
    open,
    resolve(hostname: string) {
      const answer = Promise.withResolvers<readonly ResolvedAddress[]>();
      open.set(hostname, answer);
      return answer.promise;
    },
    answer(hostname: string) {
      open.get(hostname)?.resolve([{ address: '8.8.8.8', family: 4 }]);
      open.delete(hostname);
    },
  };
}

const settled = () => new Promise<void>((done) => setImmediate(done));

describe('the addresses that a host resolves to', () => {
  const url = 'https://api.example.com';
  const cases: readonly { addresses: readonly string[]; untrusted: boolean; trusted: boolean }[] = [
    { addresses: ['8.8.8.8'], untrusted: true, trusted: true },
    { addresses: ['8.8.8.8', '2606:4700:4700::1111'], untrusted: true, trusted: true },
    { addresses: ['64:ff9b::808:808'], untrusted: true, trusted: true },
    { addresses: ['8.8.8.8', '127.0.0.1'], untrusted: false, trusted: true },
    { addresses: ['127.0.0.1'], untrusted: false, trusted: true },
    { addresses: ['::1'], untrusted: false, trusted: true },
    { addresses: ['10.1.2.3'], untrusted: false, trusted: true },
    { addresses: ['fd12::1'], untrusted: false, trusted: true },
    { addresses: ['100.64.0.1'], untrusted: false, trusted: true },
    { addresses: ['::7f00:1'], untrusted: false, trusted: true },
    { addresses: ['::ffff:10.0.0.1'], untrusted: false, trusted: true },
    { addresses: ['64:ff9b::a00:1'], untrusted: false, trusted: true },
    { addresses: ['2001:0:5ef5:79fd:0:59d:f5ff:fffe'], untrusted: false, trusted: true },
    { addresses: ['169.254.169.254'], untrusted: false, trusted: false },
    { addresses: ['10.1.2.3', '169.254.170.2'], untrusted: false, trusted: false },
    { addresses: ['100.100.100.200'], untrusted: false, trusted: false },
    { addresses: ['168.63.129.16'], untrusted: false, trusted: false },
    { addresses: ['fd00:ec2::254'], untrusted: false, trusted: false },
    { addresses: ['::ffff:169.254.169.254'], untrusted: false, trusted: false },
    { addresses: ['::a9fe:a9fe'], untrusted: false, trusted: false },
    { addresses: ['64:ff9b::a9fe:a9fe'], untrusted: false, trusted: false },
    { addresses: ['2002:a9fe:a9fe::1'], untrusted: false, trusted: false },
    { addresses: ['2001:0:808:808::5601:5601'], untrusted: false, trusted: false },
    { addresses: ['fe80::1%eth0'], untrusted: false, trusted: false },
    { addresses: ['0.0.0.0'], untrusted: false, trusted: false },
    { addresses: ['not an address'], untrusted: false, trusted: false },
  ];
  for (const { addresses, untrusted, trusted } of cases) {
    for (const [trust, accepted] of [
      [[], untrusted],
      [['api.example.com'], trusted],
    ] as const) {
      const host = trust.length ? 'a trusted' : 'an untrusted';
      it(`${accepted ? 'are accepted' : 'are refused'} for ${host} host: ${addresses.join(', ')}`, async () => {
        const guard = createUrlGuard({ trustedHosts: trust, resolve: answering(...addresses) });
        if (accepted) {
          assert.equal((await guard.check(url, 'custom_host')).trusted, trust.length > 0);
          return;
        }
        await assert.rejects(guard.check(url, 'custom_host'), (error: Error & { code?: string; param?: string }) => {
          assert.equal(error.code, 'url_blocked');
          assert.equal(error.param, 'custom_host');
          assert.match(error.message, /resolve/);
          for (const address of addresses) assert.ok(!error.message.includes(address), 'echoes the address');
          return true;
        });
      });
    }
  }

  it('come with the family that they have, whatever the resolver says', async () => {
    const to = { host: 'api.example.com', trusted: false, field: 'url' };
    assert.deepEqual(await resolveChecked(answering('8.8.8.8', '2606:4700:4700::1111'), to), [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it('are not asked for when the URL holds an address', async () => {
    const guard = createUrlGuard({ resolve: () => assert.fail('resolved') });
    assert.equal((await guard.check('https://8.8.8.8', 'url')).url.hostname, '8.8.8.8');
  });

  it('may be missing, which is said as such', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const failing = [async () => [], () => Promise.reject(cause), () => assert.fail('thrown at once')];
    for (const resolve of failing) {
      const guard = createUrlGuard({ resolve });
      await assert.rejects(guard.check(url, 'custom_host'), { code: 'upstream_unreachable', param: 'custom_host' });
    }
    const guard = createUrlGuard({ resolve: () => Promise.reject(cause) });
    await assert.rejects(guard.check(url, 'custom_host'), { cause });
  });
});

describe('resolutions at once', () => {
  const urlOf = (i: number) => `https://h${i}.example.com`;
  const hostOf = (i: number) => `h${i}.example.com`;

  it('are at most five, and the others follow in order of arrival', async () => {
    const hand = handResolver();
    const guard = createUrlGuard({ resolve: hand.resolve });
    const checks = Array.from({ length: 8 }, (_, i) => guard.check(urlOf(i), 'url'));
    await settled();
    assert.deepEqual([...hand.open.keys()], [0, 1, 2, 3, 4].map(hostOf));
    hand.answer(hostOf(3));
    await settled();
    assert.deepEqual([...hand.open.keys()], [0, 1, 2, 4, 5].map(hostOf));
    hand.answer(hostOf(0));
    hand.answer(hostOf(1));
    await settled();
    assert.deepEqual([...hand.open.keys()], [2, 4, 5, 6, 7].map(hostOf));
    for (const i of [2, 4, 5, 6, 7]) hand.answer(hostOf(i));
    assert.equal((await Promise.all(checks)).length, 8);
  });

  it('give their place back when they fail', async () => {
    let calls = 0;
    const resolve = async () => {
      calls += 1;
      throw new Error('no answer');
    };
    const guard = createUrlGuard({ resolve, maxConcurrent: 1 });
    const checks = await Promise.allSettled([guard.check(urlOf(1), 'url'), guard.check(urlOf(2), 'url')]);
    assert.deepEqual(
      checks.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(calls, 2);
  });

  it('end with the signal when the resolver hangs, and free their place', async () => {
    const hand = handResolver();
    const guard = createUrlGuard({ resolve: hand.resolve, maxConcurrent: 1 });
    const leave = new AbortController();
    const reason = new Error('the client left');
    const hanging = guard.check(urlOf(1), 'url', leave.signal);
    const next = guard.check(urlOf(2), 'url');
    await settled();
    assert.deepEqual([...hand.open.keys()], [hostOf(1)]);
    leave.abort(reason);
    await assert.rejects(hanging, reason);
    await settled();
    assert.ok(hand.open.has(hostOf(2)), 'the next one got the place');
    hand.answer(hostOf(2));
    await next;
  });

  it('let a waiting check leave the line with its signal, without taking a place', async () => {
    const hand = handResolver();
    const guard = createUrlGuard({ resolve: hand.resolve, maxConcurrent: 1 });
    const leave = new AbortController();
    const first = guard.check(urlOf(1), 'url');
    const waiting = guard.check(urlOf(2), 'url', leave.signal);
    const last = guard.check(urlOf(3), 'url');
    leave.abort(new Error('left'));
    await assert.rejects(waiting, /left/);
    hand.answer(hostOf(1));
    await first;
    await settled();
    assert.deepEqual([...hand.open.keys()], [hostOf(3)]);
    hand.answer(hostOf(3));
    await last;
  });

  it('are not begun for a signal that has already fired', async () => {
    const hand = handResolver();
    const guard = createUrlGuard({ resolve: hand.resolve });
    await assert.rejects(guard.check(urlOf(1), 'url', AbortSignal.abort(new Error('gone'))), /gone/);
    assert.equal(hand.open.size, 0);
  });

  it('are not waited for when the signal fired in the moment the place came free', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    const waiting = withPatience(new Promise(() => {}), { timeoutMs: 1000, signal, late: () => new Error('late') });
    await assert.rejects(waiting, /gone/);
  });

  it('leave no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await createUrlGuard({ resolve: answering('8.8.8.8'), resolveTimeoutMs: 50_000 }).check(urlOf(1), 'url');
    assert.equal(timers(), before);
  });

  it('end by themselves when the resolver never answers', async () => {
    const guard = createUrlGuard({ resolve: () => new Promise(() => {}), maxConcurrent: 1, resolveTimeoutMs: 5 });
    const checks = [guard.check(urlOf(1), 'custom_host'), guard.check(urlOf(2), 'custom_host')];
    for (const check of checks) {
      await assert.rejects(check, { code: 'upstream_connect_timeout', param: 'custom_host' });
    }
  });
});
