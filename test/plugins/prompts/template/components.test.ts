import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joinedComponents, variableNames } from '../../../../plugins/prompts/template/components.ts';
import { parseTemplate } from '../../../../plugins/prompts/template/template.ts';

const text = `{{!none}}{{b}}{{a.x}}{{{b}}}{{#list}}{{.}}{{item}}{{^list.more}}{{b}}{{item}}{{/list.more}}{{#.}}{{/.}}{{/list}}
{{>pp-x@5}}{{>pp-x}}{{#open}}{{>>which}}{{>pp-x@5}}{{=<% %>=}}{{after}}`;

describe('what a template names', () => {
  it('is listed by kind, once each, in order of appearance', () => {
    assert.deepEqual(parseTemplate(text).components, {
      partials: ['pp-x@5', 'pp-x'],
      sections: ['list', 'list.more'],
      variables: ['b', 'a.x', 'after'],
      sectionVariables: ['item', 'b'],
      variablePartials: ['which'],
    });
  });

  it('is nothing for a text without tags', () => {
    const nothing = { partials: [], sections: [], variables: [], sectionVariables: [], variablePartials: [] };
    assert.deepEqual(parseTemplate('plain').components, nothing);
    assert.deepEqual(joinedComponents([]), nothing);
  });

  it('is joined over several templates', () => {
    const joined = joinedComponents(
      ['{{a}}{{b}}', '{{b}}{{c}}{{>pp-x}}'].map((each) => parseTemplate(each).components),
    );
    assert.deepEqual([joined.variables, joined.partials], [['a', 'b', 'c'], ['pp-x']]);
  });

  it('counts as a variable where it is looked up', () => {
    assert.deepEqual(
      [...variableNames(parseTemplate(text).components)],
      ['b', 'a.x', 'after', 'list', 'list.more', 'item', 'which'],
    );
  });
});
