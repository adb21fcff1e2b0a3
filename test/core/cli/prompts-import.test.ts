import assert from 'node:assert/strict';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { asObjects } from 'portcullis/sdk';
import { type Folder, promptFolder, prompts } from './prompts-folder.ts';
import { basic, filled, gateway } from './prompts-gateway.ts';

describe('files that a gateway does not know yet', () => {
  const files = {
    'partials/head.yaml': 'name: Head\ntemplate: "{{>tail}} and {{>tail@latest}}"\n',
    'partials/tail.yaml': 'name: Tail\nversion_description: short\ntemplate: Bye {{name}}\n',
    'prompts/a-letter.yaml':
      'name: A letter\nprovider: p\ncollection: [One, Two]\ntemplate:\n  - { role: user, content: "{{> head }} {{x}}" }\n',
    'prompts/raw.yaml':
      'name: Raw\nprovider: p\ncollection: [One]\nis_raw_template: true\ntemplate: "[{{#each}}{\\"role\\":\\"user\\",\\"content\\":\\"{{>tail}}\\"}{{/each}}]"\n',
  };
  const write = async (folder: Folder) => {
    for (const [file, text] of Object.entries(files)) await folder.write(file, text);
  };

  it('are made with what they include and where they lie, published, and known again by name', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    await write(folder);
    const dry = await team.run('import', folder, '--dry-run', '--check');
    assert.equal(dry.code, 1);
    assert.match(dry.printed, /--- \/dev\/null\n\+\+\+ partials\/tail\.yaml\n@@ -0,0 \+1,4 @@\n\+name: Tail\n/);
    const printed = await team.done('import', folder);
    const slugs = new Map(
      [...printed.matchAll(/^(\S+): made as (\S+)\.$/gm)].map(([, file = '', slug = '']) => [file, slug]),
    );
    assert.deepEqual(
      [...slugs.keys()],
      ['partials/tail.yaml', 'partials/head.yaml', 'prompts/a-letter.yaml', 'prompts/raw.yaml'],
    );
    assert.match(printed, /^collection One: made\.\ncollection One \/ Two: made\.$/m);
    const tail = slugs.get('partials/tail.yaml');
    const head = await team.get(`/prompts/partials/${slugs.get('partials/head.yaml')}`);
    assert.equal(head.string, `{{>${tail}}} and {{>${tail}@latest}}`);
    const raw = await team.get(`/prompts/${slugs.get('prompts/raw.yaml')}`);
    assert.deepEqual([raw.is_raw_template, raw.prompt_version_status], [1, 'active']);
    assert.equal((await team.get(`/prompts/partials/${tail}`)).version_description, 'short');

    assert.equal(await team.done('import', folder, '--publish'), '0 made, 0 changed, 0 published, 4 as they were.');
    assert.match(await team.done('export', folder), /^0 written, 4 as they were\.$/);
    assert.deepEqual(await folder.all(), files);
    await folder.change('partials/tail.yaml', 'version_description: short\n', '');
    await folder.change('prompts/a-letter.yaml', '{{x}}', `{{>${tail}}}`);
    assert.match(await team.done('import', folder, '--publish'), /0 made, 2 changed, 2 published, 2 as they were\.$/);
    assert.equal(await team.done('import', folder, '--publish'), '0 made, 0 changed, 0 published, 4 as they were.');
  });

  it('come from another gateway under other slugs', async (t) => {
    const staging = await gateway(t);
    const production = await gateway(t);
    const folder = await promptFolder(t);
    const { partial, welcome } = await filled(staging);
    await staging.done('export', folder);
    const exported = await folder.all();
    assert.match(await production.done('import', folder), /3 made, 0 changed, 0 published, 0 as they were\.$/);
    assert.equal(await production.done('import', folder), '0 made, 0 changed, 0 published, 3 as they were.');
    const { data } = await production.get('/prompts/partials');
    const [there] = asObjects(data);
    assert.notEqual(there?.slug, partial);
    const found = asObjects((await production.get('/prompts')).data).find(({ name }) => name === 'Welcome');
    assert.match(
      String((await production.get(`/prompts/${found?.slug}`)).string),
      new RegExp(`\\{\\{>${there?.slug}\\}\\}`),
    );
    await production.done('export', folder);
    assert.deepEqual(await folder.all(), exported);

    await production.send('PUT', `/prompts/${found?.slug}`, { patch: true, model: 'other' });
    assert.equal(
      await production.done('export', folder),
      `prompts/${welcome}.yaml: written.\n1 written, 2 as they were.`,
    );
    assert.equal(
      await folder.read(`prompts/${welcome}.yaml`),
      exported[`prompts/${welcome}.yaml`]?.replace('gpt-4.1', 'other'),
    );
    const fresh = await gateway(t);
    const { complained } = await fresh.run('export', folder);
    assert.match(complained, /prompts\/.*: the gateway has none of it; the file stays as it is\./);
  });

  it('are all checked before anything is changed', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    await write(folder);
    const faults: readonly [string, string, RegExp][] = [
      ['prompts/a.yaml', 'name: a\ntemplate: x\n', /^prompts\/a\.yaml:1:1: provider is required/],
      [
        'prompts/a.yaml',
        'name: a\nprovider: b\ntemplate: "{{>gone}}"\n',
        /^prompts\/a\.yaml:3:1: template includes the partial gone, which is neither/,
      ],
      [
        'partials/a.yaml',
        'name: a\ntemplate: "{{>a}}"\n',
        /^partials\/a\.yaml:2:1: template includes itself: a > a\.$/,
      ],
      [
        'prompts/a.yaml',
        'provider: p\nname: Raw\ncollection: [One]\ntemplate: x\n',
        /^prompts\/a\.yaml:2:1: name is that of prompts\/raw\.yaml too/,
      ],
      ['prompts/A b.yaml', 'name: a\nprovider: b\ntemplate: x\n', /^prompts\/"A b\.yaml" is no name of a prompt/],
      ['prompts/a.yml', 'name: a\nprovider: b\ntemplate: x\n', /^prompts\/"a\.yml" is no name of a prompt/],
    ];
    for (const [file, text, expected] of faults) {
      await folder.write(file, text);
      const { code, printed, complained } = await team.run('import', folder);
      assert.deepEqual([code, printed], [2, ''], file);
      assert.match(complained, expected);
      await rename(join(folder.path, file), join(folder.path, 'away'));
    }
    assert.equal((await team.get('/prompts/partials')).total, 0);
    await mkdir(join(folder.path, 'empty'));
    const { code } = await team.run('import', { ...folder, path: join(folder.path, 'empty') });
    assert.equal(code, 2);
  });

  it('name one of several that are called the same by its slug', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    const made = [
      await team.send('POST', '/prompts', { ...basic, name: 'Twin' }),
      await team.send('POST', '/prompts', { ...basic, name: 'Twin' }),
    ];
    const text = 'name: Twin\nprovider: p\ntemplate: x\n';
    await folder.write('prompts/twin.yaml', text);
    const { code, complained } = await team.run('import', folder);
    assert.equal(code, 2);
    assert.match(
      complained,
      /^prompts\/twin\.yaml:1:1: name is that of 2 on the gateway, in the same collection \(pp-twin-/,
    );
    await folder.write(`prompts/${made[0]?.slug}.yaml`, text);
    assert.match(await team.done('import', folder), /0 made, 2 changed, 0 published, 0 as they were\.$/);
  });

  it('say which of them the gateway refuses, and go on from there the next time', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    await write(folder);
    await folder.write(
      'prompts/long.yaml',
      `name: Long\nprovider: p\nversion_description: ${'x'.repeat(10_001)}\ntemplate: x\n`,
    );
    const { code, complained } = await team.run('import', folder);
    assert.equal(code, 2);
    assert.match(
      complained,
      /^prompts\/long\.yaml: The gateway refuses POST \/prompts \(400\): .*version_description/m,
    );
    await folder.write('prompts/long.yaml', 'name: Long\nprovider: p\ntemplate: x\n');
    assert.match(await team.done('import', folder), /2 made, 0 changed, 0 published, 3 as they were\.$/);
  });

  it('are saved with a warning for each that names a provider which is not there', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    await folder.write('partials/head.yaml', 'name: Head\ntemplate: Hello\n');
    await folder.write('prompts/a.yaml', 'name: A\nprovider: "not\\nthere"\ntemplate: x\n');
    await folder.write('prompts/b.yaml', 'name: B\nmodel: m\nprovider: gone\ntemplate: x\n');
    const warning = (place: string, slug: string) =>
      `${place}: No provider that this workspace may use goes by "${slug}": requests fail until there is one.`;
    const made = await team.run('import', folder);
    assert.equal(made.code, 0, made.complained);
    assert.match(made.printed, /3 made, 0 changed, 0 published, 0 as they were\.$/);
    assert.deepEqual(made.complained.split('\n'), [
      warning('prompts/a.yaml:2:1', 'not there'),
      warning('prompts/b.yaml:3:1', 'gone'),
    ]);
    await folder.change('prompts/b.yaml', 'gone', 'misspelt');
    const { code, complained } = await team.run('import', folder, '--publish');
    assert.deepEqual([code, complained], [0, warning('prompts/b.yaml:3:1', 'misspelt')]);
    assert.equal((await team.run('import', folder)).complained, '');
  });

  it('belong to one workspace', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    await filled(team);
    const other = await team.newWorkspace('Other');
    await team.control.ok('POST', '/v1/prompts', { body: { ...basic, name: 'Else', workspace_id: other } });
    const { code, complained } = await prompts(team.control.adminKey, 'export', folder.path, '--url', team.control.url);
    assert.equal(code, 2);
    assert.match(complained, /^The key sees 2 workspaces: say by --workspace/);
    const key = await team.control.ok('POST', '/v1/api-keys/workspace/service', {
      body: { name: 'ci', workspace_id: other, scopes: ['prompts.list', 'prompts.read'] },
    });
    const only = await prompts(String(key.key), 'export', folder.path, '--url', `${team.control.url}/`);
    assert.match(only.printed, /^prompts\/pp-else-.*: written\.\n1 written, 0 as they were\.$/);
  });
});

describe('a folder with links in it', () => {
  it('is neither read nor written through them', async (t) => {
    const team = await gateway(t);
    const { plain } = await filled(team);
    const outside = await promptFolder(t);
    await outside.write('target.yaml', 'name: a\nprovider: b\ntemplate: x\n');
    const links: readonly [string, string][] = [
      [join(outside.path, 'target.yaml'), `prompts/${plain}.yaml`],
      [outside.path, 'prompts'],
      [join(outside.path, 'nothing'), 'partials'],
    ];
    for (const [target, place] of links) {
      const folder = await promptFolder(t);
      if (place.includes('/')) await mkdir(join(folder.path, 'prompts'));
      await symlink(target, join(folder.path, place));
      for (const action of ['export', 'import']) {
        const { code, complained } = await team.run(action, folder);
        assert.equal(code, 2);
        assert.match(complained, new RegExp(`${basename(place)} is a link`));
      }
    }
    assert.deepEqual(await outside.all(), { 'target.yaml': 'name: a\nprovider: b\ntemplate: x\n' });
    assert.equal(await team.versions(`/prompts/${plain}`), 1);
  });
});
