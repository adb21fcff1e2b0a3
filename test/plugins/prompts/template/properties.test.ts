import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GatewayError, type Json } from 'portcullis/sdk';
import { parseTemplate } from '../../../../plugins/prompts/template/template.ts';
import type { Variables } from '../../../../plugins/prompts/template/variables.ts';
import { rendered } from './rendered.ts';

const word = fc.constantFrom('a', 'b', 'a.b', '.', '__proto__', 'constructor', ' ', '"', '\n', 'x', '0;', '\u2003');
const piece = fc.oneof(
  word,
  fc.constantFrom('{', '}', '{{', '}}', '{{{', '}}}', '{{#', '{{/', '{{^', '{{>', '{{>>', '{{!', '{{=', '{{&'),
  fc.tuple(fc.constantFrom('', '#', '/', '^', '>', '>>', '!', '&'), word).map(([sigil, name]) => `{{${sigil}${name}}}`),
  fc.string({ unit: 'binary' }),
);
const template = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const value = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.json(),
  fc.array(fc.string()) as fc.Arbitrary<Json>,
  fc.constantFrom('a', 'b', 'x'),
);
const variables: fc.Arbitrary<Variables> = fc.dictionary(word, value);
const partials = fc.dictionary(word, template);

/** What a rendering ends in: the text, or the message of the one kind of error there is. */
function outcome(...input: Parameters<typeof rendered>) {
  try {
    return rendered(...input);
  } catch (error) {
    assert.ok(GatewayError.is(error), String(error));
    assert.equal(error.code, 'bad_request');
    return error;
  }
}

describe('any template', () => {
  it('renders, or is refused as the bad request of its sender', () => {
    fc.assert(
      fc.property(template, variables, partials, (text, values, included) => {
        outcome(text, values, included);
      }),
      { numRuns: 2_000 },
    );
  });

  it('renders the same again, and leaves its variables as they are', () => {
    fc.assert(
      fc.property(template, variables, partials, (text, values, included) => {
        const before = JSON.stringify(values);
        assert.deepEqual(String(outcome(text, values, included)), String(outcome(text, values, included)));
        assert.equal(JSON.stringify(values), before);
      }),
      { numRuns: 500 },
    );
  });

  it('renders to itself when it has no tag', () => {
    const plain = fc
      .array(fc.oneof(word, fc.string({ unit: 'binary' }), fc.constantFrom('}}', '{ ', '\r\n')))
      .map((pieces) => pieces.join('').replaceAll('{{', '{'));
    fc.assert(
      fc.property(
        plain.filter((text) => !text.includes('{{')),
        variables,
        (text, values) => {
          assert.equal(rendered(text, values), text);
        },
      ),
    );
  });

  it('keeps the text around a variable, whatever it is', () => {
    const around = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[{}]/g, ''));
    fc.assert(
      fc.property(around, around, fc.string(), (before, after, name) => {
        assert.equal(rendered(`${before}{{x}}${after}`, { x: name }), before + name + after);
      }),
    );
  });

  it('names each of its variables once', () => {
    fc.assert(
      fc.property(template, (text) => {
        for (const names of Object.values(parseTemplate(text).components) as readonly (readonly string[])[]) {
          assert.equal(new Set(names).size, names.length);
        }
      }),
    );
  });
});
