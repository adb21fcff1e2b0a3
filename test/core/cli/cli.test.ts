import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { runCommand } from '../../../core/cli/command.ts';
import { readEnvironment } from '../../../core/config/env.ts';
import { silentLog } from '../../../core/log.ts';
import { openStore, storeOptionsOf } from '../../../core/store/store.ts';
import { root } from '../../repo/tree.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-cli-'));
  // A start opens its database there.
  process.env.DATA_DIR = join(folder, 'data');
});
after(() => rm(folder, { recursive: true, force: true }));

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** What a command line prints, says and gives back. The console has state of its own, as an object may. */
async function run(...argv: readonly string[]) {
  const out = {
    printed: '',
    complained: '',
    print(line: string) {
      this.printed += `${line}\n`;
    },
    complain(line: string) {
      this.complained += `${line}\n`;
    },
  };
  const code = await runCommand(argv, out);
  return { code, printed: out.printed, complained: out.complained };
}

describe('the command line', () => {
  it('explains itself', async () => {
    const { code, printed, complained } = await run('--help');
    assert.deepEqual([code, complained], [0, '']);
    for (const command of ['start', 'check', 'explain', 'keys', 'migrate', 'encryption'])
      assert.match(printed, new RegExp(`portcullis \\[?${command}`));
  });

  const wrong: readonly [string, readonly string[], RegExp][] = [
    ['a command that does not exist', ['fly'], /no command "fly"[\s\S]*portcullis check/],
    ['a name that every object has', ['constructor'], /no command "constructor"/],
    ['an option that does not exist', ['check', '--speed', '9'], /--speed/],
    ['an option without its value', ['check', '--config'], /--config/],
    ['an explanation of nothing', ['explain'], /--request FILE/],
    ['keys without saying what', ['keys'], /keys new NAME/],
    ['a new key without a name', ['keys', 'new'], /keys new NAME/],
    ['a file that is not there', ['check', '--config', '/nowhere/portcullis.yaml'], /\/nowhere\/portcullis\.yaml/],
    ['a request that is not there', ['explain', '--request', '/nowhere/request.json'], /\/nowhere\/request\.json/],
  ];
  for (const [what, argv, expected] of wrong) {
    it(`answers ${what} with a sentence and the code 2`, async () => {
      const { code, printed, complained } = await run(...argv);
      assert.deepEqual([code, printed], [2, '']);
      assert.match(complained, expected);
      assert.doesNotMatch(complained, /\n\s+at /);
    });
  }
});

describe('portcullis keys', () => {
  it('makes a key, and the entry that stands for it', async () => {
    const { code, printed } = await run('keys', 'new', 'web "app"');
    const key = /pc_[A-Za-z0-9_-]{32}/.exec(printed)?.[0] ?? '';
    assert.equal(code, 0);
    assert.match(printed, new RegExp(`name: "web \\\\"app\\\\""\n +sha256: ${hash('sha256', key, 'hex')}`));
  });

  it('makes another one each time', async () => {
    assert.notEqual((await run('keys', 'new', 'a')).printed, (await run('keys', 'new', 'a')).printed);
  });

  it('makes an entry that the operator’s file accepts', async () => {
    const { printed } = await run('keys', 'new', 'web');
    const file = await fileOf(
      'keys.yaml',
      `configs:\n  main: { provider: echo }\n${printed.slice(printed.indexOf('keys:'))}`,
    );
    const { code, complained } = await run('check', '--config', file);
    assert.deepEqual([code, complained], [0, '']);
  });

  async function hashed(input: string) {
    const child = spawn(process.execPath, [join(root, 'core/main.ts'), 'keys', 'hash'], {
      cwd: root,
    });
    child.stdin.end(input);
    const [printed, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await once(child, 'exit');
    return { code: child.exitCode, printed, complained };
  }

  it('hashes a key from standard input, the line break left out', async () => {
    assert.deepEqual(await hashed('pc_mine\n'), {
      code: 0,
      printed: `${hash('sha256', 'pc_mine', 'hex')}\n`,
      complained: '',
    });
  });

  it('refuses to hash nothing', async () => {
    assert.deepEqual(await hashed(' \n'), { code: 2, printed: '', complained: 'Give the key on standard input.\n' });
  });
});

describe('portcullis check', () => {
  it('says what would run', async () => {
    const file = await fileOf('good.yaml', 'default_config: main\nconfigs:\n  main: { provider: echo }\n');
    const { code, printed } = await run('check', '--config', file);
    assert.equal(code, 0);
    assert.match(printed, /good\.yaml: no faults\./);
    assert.match(printed, /identify +request +first +closed +api-keys@1 -> sessions@1 -> jwt@1 -> static-keys@1/);
  });

  const faulty: readonly [string, string, RegExp][] = [
    ['a field that does not exist', 'server: { prot: 1 }\n', /server\.prot.*port/s],
    ['a value of the wrong type', 'server: { port: many }\n', /server\.port/],
    ['broken YAML', 'server: [\n', /faulty\.yaml:2:1: .*bracket/],
    [
      'a config that names no such provider',
      'configs: { main: { provider: nobody-knows } }\ndefault_config: other\n',
      /default_config|other/,
    ],
    [
      'a config with a fault',
      'configs: { main: { provider: echo, retry: { attempts: 99 } } }\n',
      /configs\.main.*attempts/s,
    ],
    ['a plugin that does not exist', 'phases: { log: [nobody] }\n', /nobody/],
    ['a plugin in a phase that is not its own', 'phases: { log: [retry, console-log] }\n', /retry/],
    ['a saved provider of an unknown kind', 'providers: { team: { provider: nobody-knows } }\n', /nobody-knows/],
  ];
  for (const [what, content, expected] of faulty) {
    it(`refuses ${what}, naming it`, async () => {
      const file = await fileOf('faulty.yaml', content);
      const { code, printed, complained } = await run('check', '--config', file);
      assert.deepEqual([code, printed], [2, '']);
      assert.match(complained, expected);
    });
  }

  it('says all faults of a file, and never a secret', async () => {
    const file = await fileOf(
      'two.yaml',
      'server: { port: -1, prot: 2 }\nproviders: { team: { provider: openai, api_key: { secret: sk-live-secret } } }\n',
    );
    const { complained } = await run('check', '--config', file);
    assert.match(complained, /server\.port/);
    assert.match(complained, /server\.prot/);
    assert.doesNotMatch(complained, /sk-live-secret/);
  });
});

describe('portcullis explain', () => {
  const yaml = 'configs:\n  main: { provider: openai, api_key: sk-live-secret, override_params: { temperature: 0 } }\n';
  const explained = async (request: unknown, content = yaml) => {
    const file = await fileOf('explain.yaml', content);
    const result = await run(
      'explain',
      '--config',
      file,
      '--request',
      await fileOf('request.json', JSON.stringify(request)),
    );
    return { ...result, report: result.printed === '' ? undefined : JSON.parse(result.printed) };
  };
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

  it('shows what would be sent, the credential masked', async () => {
    const { code, printed, report } = await explained({ headers: { 'x-gw-config': 'main' }, body });
    assert.equal(code, 0);
    assert.deepEqual(report.targets[0].body, { ...body, temperature: 0 });
    assert.equal(report.targets[0].headers.authorization, '****');
    assert.doesNotMatch(printed, /sk-live-secret/);
  });

  it('masks the caller’s own credential too', async () => {
    const { printed } = await explained({
      headers: { 'x-gw-provider': 'openai', authorization: 'Bearer sk-callers' },
      body,
    });
    assert.doesNotMatch(printed, /sk-callers/);
    assert.match(printed, /\*\*\*\*/);
  });

  it('takes a config written as an object', async () => {
    const { report } = await explained({ headers: { 'x-gw-config': { provider: 'echo' } }, body });
    assert.equal(report.targets[0].provider, 'echo');
  });

  it('takes a bare chat request', async () => {
    const { report } = await explained(body, 'default_config: main\nconfigs: { main: { provider: echo } }\n');
    assert.equal(report.targets[0].provider, 'echo');
  });

  const refused: readonly [string, unknown, RegExp][] = [
    [
      'a request that is refused',
      { headers: { 'x-gw-provider': 'openai' }, body: { model: 'm', messages: 'no' } },
      /messages/,
    ],
    ['a path that is none', { path: 'http://', headers: { 'x-gw-config': 'main' }, body }, /path/],
    ['a path that does not exist', { path: '/v2/x', body }, /There is no inference route/],
    [
      'a path that cannot be decoded',
      { method: 'GET', path: '/v1/responses/%zz', headers: { 'x-gw-config': 'main' } },
      /path|responses/,
    ],
    ['a config that does not exist', { headers: { 'x-gw-config': 'absent' }, body }, /No saved config has the name/],
  ];
  for (const [what, request, expected] of refused) {
    it(`says why for ${what}`, async () => {
      const { report, complained } = await explained(request);
      assert.match(JSON.stringify(report ?? '') + complained, expected);
    });
  }

  for (const content of ['[]', 'no json', '"text"']) {
    it(`refuses the request file ${content}, naming the file`, async () => {
      const result = await run('explain', '--request', await fileOf('bad.json', content));
      assert.deepEqual([result.code, result.printed], [2, '']);
      assert.match(result.complained, /bad\.json/);
    });
  }
});

describe('a data folder that cannot be made', () => {
  it('is named, with the variable that moves it', async () => {
    const kept = process.env.DATA_DIR;
    process.env.DATA_DIR = join(await fileOf('a-file', ''), 'below');
    const { code, complained } = await run('keys', 'admin');
    process.env.DATA_DIR = kept;
    assert.equal(code, 2);
    assert.match(complained, /a-file\/below .*DATA_DIR/);
  });
});

describe('portcullis migrate forget', () => {
  it('lets a start go on without a plugin that is gone, and keeps what is loaded', async () => {
    assert.equal((await run('migrate')).code, 0);
    const options = storeOptionsOf(readEnvironment());
    const store = await openStore(options, silentLog);
    await store.db('schema_migrations').insert({ name: 'gone/001_first', applied_at: 1 });
    await store.close();
    const refused = await run('migrate');
    assert.equal(refused.code, 2);
    assert.match(refused.complained, /gone\/001_first.*migrate forget/);
    assert.match((await run('migrate', 'forget', 'tenancy')).complained, /is loaded/);
    assert.match((await run('migrate', 'forget', 'gone')).printed, /1 migrations of gone/);
    assert.equal((await run('migrate')).code, 0);
  });
});

describe('portcullis keys admin', () => {
  it('makes another admin key for who has lost the first', async () => {
    const first = await run('keys', 'admin');
    const second = await run('keys', 'admin');
    assert.deepEqual([first.code, second.code], [0, 0]);
    const key = /shown this once: (\w{40})/;
    assert.match(first.printed, key);
    assert.match(second.printed, key);
    assert.notEqual(key.exec(first.printed)?.[1], key.exec(second.printed)?.[1]);
    // The first start tells of a bootstrap token as well; later there is only the key.
    assert.equal(second.printed.trim().split('\n').length, 1);
    const migrated = await run('migrate', '--status');
    assert.equal(migrated.code, 0, migrated.complained);
    assert.doesNotMatch(migrated.printed, /pending|unknown/i);
  });
});

describe('portcullis start', () => {
  it('says so when its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const file = await fileOf(
      'start.yaml',
      `server: { port: ${port}, host: 127.0.0.1 }\nlog: { level: silent }\nconfigs: { main: { provider: echo } }\n`,
    );
    const { code, complained } = await run('start', '--config', file);
    assert.equal(code, 2);
    assert.match(complained, new RegExp(`${port}.*in use`));
    taken.close();
  });
});
