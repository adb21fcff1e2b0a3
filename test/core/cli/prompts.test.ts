import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects } from 'portcullis/sdk';
import { runCommand } from '../../../core/cli/command.ts';
import { promptFolder, prompts } from './prompts-folder.ts';
import { filled, gateway } from './prompts-gateway.ts';

describe('portcullis prompts', () => {
  const wrong: readonly (readonly string[])[] = [
    [],
    ['fly', 'folder'],
    ['constructor', 'folder'],
    ['export'],
    ['export', 'a', 'b'],
    ['export', 'a', '--publish'],
  ];
  for (const argv of wrong) {
    it(`answers "${argv.join(' ')}" with how it is used`, async () => {
      const { code, printed, complained } = await prompts('key', ...argv);
      assert.deepEqual([code, printed], [2, '']);
      assert.match(complained, /^Use: portcullis prompts export FOLDER/);
    });
  }

  const refused: readonly [string, readonly string[], RegExp][] = [
    ['--check alone', ['import', 'a', '--check'], /--check is for --dry-run alone/],
    ['an address that is none', ['export', 'a', '--url', 'gateway'], /--url must be an http or https URL/],
    ['an address with a password', ['export', 'a', '--url', 'http://u:p@h'], /--url must be/],
    ['an address of another kind', ['export', 'a', '--url', 'file:///etc'], /--url must be/],
    ['no time at all', ['export', 'a', '--timeout', '0'], /--timeout must be a number of milliseconds/],
  ];
  for (const [what, argv, expected] of refused) {
    it(`refuses ${what}`, async () => {
      const { code, complained } = await prompts('key', ...argv);
      assert.equal(code, 2);
      assert.match(complained, expected);
    });
  }

  it('wants a key, from a variable that it names', async () => {
    for (const key of ['', ' ']) {
      const { code, complained } = await prompts(key, 'export', 'a');
      assert.equal(code, 2);
      assert.match(complained, /PROMPTS_TEST_KEY_\d+ must hold an API key/);
    }
    const { complained } = await prompts('ke\ny', 'export', 'a');
    assert.match(complained, /PROMPTS_TEST_KEY_\d+ holds characters that no API key has\.$/);
  });

  it('stands in the help', async () => {
    const lines: string[] = [];
    await runCommand(['--help'], { print: (text) => lines.push(text), complain: () => {} });
    assert.match(lines.join('\n'), /portcullis prompts export \| import FOLDER/);
  });
});

describe('prompts of a gateway as files', () => {
  it('are written, changed, brought back, and then the same', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    const { partial, welcome, plain } = await filled(team);
    assert.match(await team.done('export', folder), /3 written, 0 as they were\.$/);
    const first = await folder.all();
    assert.deepEqual(
      Object.keys(first),
      [`partials/${partial}.yaml`, `prompts/${plain}.yaml`, `prompts/${welcome}.yaml`].toSorted(),
    );
    assert.equal(
      first[`prompts/${welcome}.yaml`],
      `name: Welcome
collection:
  - Support
  - Mails
version_description: first
provider: openai-prod
model: gpt-4.1
parameters:
  temperature: 0.2
template:
  - role: user
    content: "{{>${partial}}}, {{question}}"
tools:
  - type: function
    function:
      name: look_up
      parameters:
        type: object
tool_choice: auto
`,
    );

    await folder.change(`prompts/${plain}.yaml`, 'in one line', 'in two lines');
    const dry = await team.run('import', folder, '--dry-run');
    assert.equal(dry.code, 0);
    assert.equal(
      dry.printed,
      `--- gateway/prompts/${plain}
+++ prompts/${plain}.yaml
@@ -7,4 +7,4 @@
   template_type: text
 template: |-
   Say {{what}}
-  in one line.
+  in two lines.
To do: 0 made, 1 changed, 0 published, 2 as they were.`,
    );
    assert.equal((await team.run('import', folder, '--dry-run', '--check')).code, 1);
    assert.equal(await team.versions(`/prompts/${plain}`), 1);

    assert.match(
      await team.done('import', folder),
      new RegExp(`^prompts/${plain}.yaml: a new version \\(template\\)\\.`),
    );
    const latest = await team.get(`/prompts/${plain}?version=latest`);
    assert.equal(latest.string, 'Say {{what}}\nin two lines.');
    assert.deepEqual(
      [latest.prompt_version, latest.prompt_version_status, latest.model, latest.virtual_key],
      [2, 'archived', 'gpt-4.1', 'openai-prod'],
    );

    const changed = await folder.all();
    assert.equal(await team.done('import', folder), '0 made, 0 changed, 0 published, 3 as they were.');
    assert.equal((await team.run('import', folder, '--dry-run', '--check')).code, 0);
    for (const path of [`/prompts/${plain}`, `/prompts/${welcome}`, `/prompts/partials/${partial}`])
      assert.equal(await team.versions(path), path.endsWith(plain) ? 2 : 1, path);
    assert.match(await team.done('export', folder), /0 written, 3 as they were\.$/);
    assert.deepEqual(await folder.all(), changed);
    const fresh = await promptFolder(t);
    await team.done('export', fresh);
    assert.deepEqual(await fresh.all(), changed);
  });

  it('become Published when it is asked for, once', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    const { partial, plain } = await filled(team);
    await team.done('export', folder);
    await folder.change(`prompts/${plain}.yaml`, 'in one line', 'twice');
    await team.done('import', folder);
    await folder.change(`partials/${partial}.yaml`, 'Hello', 'Dear');
    const dry = await team.run('import', folder, '--publish', '--dry-run', '--check');
    assert.equal(dry.code, 1);
    assert.match(dry.printed, /To do: 0 made, 1 changed, 2 published, 1 as they were\.$/);
    assert.match(await team.done('import', folder, '--publish'), /0 made, 1 changed, 2 published, 1 as they were\.$/);
    assert.equal((await team.get(`/prompts/${plain}`)).string, 'Say {{what}}\ntwice.');
    assert.equal((await team.get(`/prompts/partials/${partial}`)).string, 'Dear {{name}}');
    assert.match(await team.done('import', folder, '--publish'), /^0 made, 0 changed, 0 published, 3 as they were\.$/);
  });

  it('change in name and place without a new version, and lose what the file no longer says', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    const { welcome } = await filled(team);
    const path = `prompts/${welcome}.yaml`;
    await team.done('export', folder);
    await folder.change(path, 'name: Welcome', 'name: Hello');
    await folder.change(path, '  - Mails\n', '  - Letters\n');
    const printed = await team.done('import', folder);
    assert.match(printed, /^collection Support \/ Letters: made\.\nprompts\/.*: changed \(name, collection\)\./);
    assert.equal(await team.versions(`/prompts/${welcome}`), 1);
    const { name, collection_id } = await team.get(`/prompts/${welcome}`);
    const { data } = await team.get('/collections');
    assert.deepEqual([name, asObjects(data).find(({ id }) => id === collection_id)?.name], ['Hello', 'Letters']);

    await folder.change(path, 'collection:\n  - Support\n  - Letters\n', '');
    await folder.change(path, 'tool_choice: auto\n', '');
    await folder.change(path, 'version_description: first\n', '');
    await folder.change(path, 'parameters:\n  temperature: 0.2\n', '');
    assert.match(await team.done('import', folder), /\(collection, version_description, parameters, tool_choice\)/);
    const latest = await team.get(`/prompts/${welcome}?version=latest`);
    assert.deepEqual(
      [latest.tool_choice, latest.prompt_version_description, latest.parameters, asObjects(latest.tools).length],
      [null, null, { question: '' }, 1],
    );
    assert.match(await team.done('import', folder), /^0 made, 0 changed/);
  });

  it('keep their own form where they say the same', async (t) => {
    const team = await gateway(t);
    const folder = await promptFolder(t);
    const { plain } = await filled(team);
    await team.done('export', folder);
    const own = `# Ours.\nprovider: "@openai-prod"\nname: Plain\ncollection: [Default]\nparameters: { temperature: 0.20, what: "" }
model: gpt-4.1\ntemplate_metadata: { template_type: text }\ntemplate: "Say {{what}}\\nin one line."\n`;
    await folder.write(`prompts/${plain}.yaml`, own);
    assert.match(await team.done('import', folder), /^0 made, 0 changed/);
    assert.match(await team.done('export', folder), /^0 written/);
    assert.equal(await folder.read(`prompts/${plain}.yaml`), own);
  });
});
