import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { inEachPlace, standard } from './place.ts';

const faults: readonly [string, JsonObject, string][] = [
  ['an empty name', { name: ' ' }, 'name'],
  ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name'],
  ['an empty template', { string: '' }, 'string'],
  ['a template that is no text', { string: [{ role: 'user', content: 'Hi' }] }, 'string'],
  ['a template of too many characters', { string: 'x'.repeat(256_001) }, 'string'],
  ['a template of too many tags', { string: '{{a}}'.repeat(2001) }, 'string'],
  ['sections nested too deep', { string: '{{#a}}'.repeat(33) + '{{/a}}'.repeat(33) }, 'string'],
  ['a partial that there is not', { string: 'Hi {{>pp-none-123456}}' }, 'string'],
  ['a partial with a label', { string: 'Hi {{>pp-none-123456@production}}' }, 'string'],
  ['parameters that are a list', { parameters: [] }, 'parameters'],
  ['parameters that are long', { parameters: { stop: 'x'.repeat(262_144) } }, 'parameters'],
  ['tools that are an object', { tools: {} }, 'tools'],
  ['a tool of an unknown type', { tools: [{ type: 'spoon' }] }, 'tools[0].type'],
  ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
  ['functions without names', { functions: [{}] }, 'functions[0].name'],
  ['an unknown choice', { tool_choice: 'maybe' }, 'tool_choice'],
  ['metadata that is text', { template_metadata: 'chat' }, 'template_metadata'],
  ['an unknown type', { template_metadata: { template_type: 'poem' } }, 'template_metadata.template_type'],
  ['no provider', { virtual_key: '@' }, 'virtual_key'],
  ['a raw template that is maybe', { is_raw_template: 2 }, 'is_raw_template'],
  ['an unknown collection', { collection_id: 'co-none-123456' }, 'collection_id'],
];

inEachPlace('prompts', (place) => {
  for (const [what, change, param] of faults) {
    it(`with ${what} are refused, naming ${param}`, async () => {
      const { workspace, make, refused, prompt } = place();
      const body = { ...standard, workspace_id: workspace, ...change };
      assert.deepEqual(await refused('POST', '/v1/prompts', { body }), [400, param]);
      const { id } = await make();
      assert.deepEqual(await refused('PUT', `/v1/prompts/${id}`, { body }), [400, param]);
      const { name, prompt_version } = await prompt(id, 'latest');
      assert.deepEqual([name, prompt_version], [standard.name, 1]);
    });
  }

  for (const name of ['name', 'string', 'parameters', 'virtual_key'] as const) {
    it(`need ${name}`, async () => {
      const { [name]: _, ...body }: JsonObject = { ...standard, workspace_id: place().workspace };
      assert.deepEqual(await place().refused('POST', '/v1/prompts', { body }), [400, name]);
    });
  }

  it('belong to a workspace', async () => {
    assert.deepEqual(await place().refused('POST', '/v1/prompts', { body: standard }), [400, 'workspace_id']);
  });

  it('take empty lists of tools, nulls and members that nobody knows', async () => {
    const { make, prompt } = place();
    const nothing = { functions: [], tools: [], tool_choice: null, model: null, template_metadata: null };
    const { id } = await make({ ...nothing, version_description: null, collection_id: null, unknown: 1 });
    const { functions, tools, tool_choice, model, template_metadata } = await prompt(id);
    assert.deepEqual({ functions, tools, tool_choice, model, template_metadata }, nothing);
  });

  it('include the partials of their workspace, those shared with it, and no others', async () => {
    const { control, make, partial, newWorkspace, refused, workspace } = place();
    const other = await newWorkspace();
    const [own, foreign] = [await partial(), await partial('Be kind.', other)];
    const body = (string: string) => ({ body: { ...standard, workspace_id: workspace, string } });
    for (const text of [own.slug, own.id, `${own.slug}@1`, `${own.slug}@latest`])
      await make({ string: `{{>${text}}}` });
    assert.deepEqual(await refused('POST', '/v1/prompts', body(`{{>${own.slug}@2}}`)), [400, 'string']);
    assert.deepEqual(await refused('POST', '/v1/prompts', body(`{{>${foreign.slug}}}`)), [400, 'string']);
    await control.ok('POST', `/v1/prompts/partials/${foreign.id}/share`, { body: { workspaces: [workspace] } });
    const { id } = await make({ string: `{{>${foreign.slug}}}` });
    await control.ok('DELETE', `/v1/prompts/partials/${foreign.id}`);
    const again = { patch: true, string: `Now {{>${foreign.slug}}}` };
    assert.deepEqual(await refused('PUT', `/v1/prompts/${id}`, { body: again }), [400, 'string']);
  });
});
