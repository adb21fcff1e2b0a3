import { testCheck } from 'portcullis/sdk/testing';
import regexMatch from '../../../guardrails/default/regex-match.ts';
import regexReplace from '../../../guardrails/default/regex-replace.ts';

const split = [
  { text: 'Our atta', message: 0 },
  { text: 'ck plan', message: 0, adjoins: true },
];

testCheck(regexMatch, {
  pass: [
    { text: 'order 42', config: { rule: '\\d+' } },
    { text: 'ORDER', config: { rule: '(?i)order' } },
    { text: 'order', config: { rule: '\\d', not: true } },
    { text: '', config: { rule: '^$' } },
    { name: 'parts where only each by itself matches', input: { texts: split }, config: { rule: '^ck', not: true } },
    { text: '/a/i', config: { rule: '/a/i' } },
    {
      text: 'call 555-1234 now',
      config: { rule: '(?<area>\\d{3})-(\\d{4})(x)?' },
      data: {
        explanation: 'The pattern matches the text.',
        not: false,
        verdict: true,
        matchDetails: { matchedText: '555-1234', index: 5, groups: { area: '555' }, captures: ['555', '1234', null] },
        regexPattern: '(?<area>\\d{3})-(\\d{4})(x)?',
        textExcerpt: 'call 555-1234 now',
      },
    },
    {
      name: 'a long text, without the place of the match',
      text: `${'a'.repeat(200_000)}b`,
      config: { rule: '(a+)+b' },
      data: {
        explanation: 'The pattern matches the text.',
        not: false,
        verdict: true,
        matchDetails: null,
        regexPattern: '(a+)+b',
        textExcerpt: `${'a'.repeat(100)}...`,
      },
    },
    {
      name: 'on what a tool is asked to do',
      phase: 'afterRequest',
      input: { texts: [{ text: 'Sure.' }, { text: '{"path":"/etc/passwd"}', kind: 'tool-arguments' }] },
      config: { rule: '/etc/\\w+' },
    },
  ],
  fail: [
    {
      name: 'what is split over parts of a message',
      input: { texts: split },
      config: { rule: '\\battack\\b', not: true },
      data: {
        explanation: 'The pattern matches the text.',
        not: true,
        verdict: false,
        matchDetails: { matchedText: 'attack', index: 4, groups: {}, captures: [] },
        regexPattern: '\\battack\\b',
        textExcerpt: 'Our atta\nck plan',
      },
    },
    {
      name: 'what has to be there, and is split over parts of a message',
      input: { texts: split },
      config: { rule: 'attack' },
    },
    {
      text: 'order',
      config: { rule: '\\d' },
      why: 'The pattern does not match the text.',
      data: {
        explanation: 'The pattern does not match the text.',
        not: false,
        verdict: false,
        matchDetails: null,
        regexPattern: '\\d',
        textExcerpt: 'order',
      },
    },
    { text: '', config: { rule: 'a' } },
    { text: 'order 42', config: { rule: '\\d+', not: true } },
    { name: 'one half of a surrogate pair', text: '😀', config: { rule: '\\ud83d' } },
  ],
  refused: [
    { config: {}, message: /rule/ },
    { config: { rule: '' }, message: /rule/ },
    { config: { rule: '(' }, message: /rule is not a pattern that is accepted: a group is not closed \(character 2\)/ },
    { config: { rule: 'a(?=b)' }, message: /look-around/ },
    { config: { rule: '\bcat\b' }, message: /^rule .*a backspace stands in it.*\\\\b for the border of a word/ },
    { config: { rule: 'a(?<!b)' }, message: /look-around/ },
    { config: { rule: '(a)\\1' }, message: /back-references/ },
    { config: { rule: '(?<n>a)\\k<n>' }, message: /back-references/ },
    { config: { rule: 'a'.repeat(4097) }, message: /rule/ },
    { config: { rule: '((a{1000}){1000}){1000}' }, message: /too large/ },
    { config: { rule: 'a', flags: 'i' }, message: /flags/ },
  ],
});

const cards = 'Card 4111-1111, and 4222-2222.';

testCheck(regexReplace, {
  pass: [
    { text: cards, config: { rule: '\\d{4}-\\d{4}' }, edited: ['Card [REDACTED], and [REDACTED].'] },
    { text: cards, config: { rule: '/CARD/i', redactText: 'X' }, edited: ['X 4111-1111, and 4222-2222.'] },
    {
      text: cards,
      config: { rule: '/(\\d{4})-\\d{4}/g', redactText: '$1-****' },
      edited: ['Card 4111-****, and 4222-****.'],
    },
    {
      text: cards,
      config: { rule: '(?<head>\\d)\\d{3}', redactText: '$<head>$$$&$2' },
      edited: ['Card 4$4111$2-1$1111$2, and 4$4222$2-2$2222$2.'],
    },
    { text: cards, config: { rule: '-\\d+', redactText: '' }, edited: ['Card 4111, and 4222.'] },
    { text: 'nothing', config: { rule: '\\d' }, edited: ['nothing'], why: 'The pattern does not match.' },
    { text: 'nothing', config: { rule: '\\d', failOnDetection: true } },
    { text: '', config: { rule: 'a' }, edited: [''] },
    {
      name: 'a place in a path, with slashes',
      text: 'see /etc/hosts',
      config: { rule: '/etc/hosts' },
      edited: ['see [REDACTED]'],
    },
    { name: 'matches without length', text: 'a b', config: { rule: '\\b' }, edited: ['a b'] },
    {
      name: 'every text, whoever wrote it',
      phase: 'afterRequest',
      input: { texts: [{ text: '1' }, { text: 'x' }, { text: '{"n":2}', kind: 'tool-arguments' }] },
      config: { rule: '\\d', redactText: '#' },
      edited: ['#', 'x', '{"n":#}'],
    },
    {
      text: 'a1b22',
      config: { rule: '\\d+' },
      data: { explanation: '2 matches of the pattern were replaced.', verdict: true, matches: 2, regexPattern: '\\d+' },
    },
  ],
  fail: [
    { text: 'a1', config: { rule: '\\d', failOnDetection: true }, edited: ['a[REDACTED]'] },
    { text: '😀1', config: { rule: '😀', failOnDetection: true }, edited: ['[REDACTED]1'] },
  ],
  error: [
    {
      name: 'more matches than it replaces',
      text: 'a'.repeat(100_001),
      config: { rule: 'a' },
      code: 'check_failed',
      message: /more than 100000 times/,
    },
  ],
  refused: [
    { config: {}, message: /rule/ },
    { config: { rule: '' }, message: /rule/ },
    { config: { rule: 'a*' }, message: /rule matches the empty text/ },
    { config: { rule: '/a/y' }, message: /rule may have the flags/ },
    { config: { rule: '/\bcat\b/i' }, message: /^rule .*a backspace stands in it/ },
    { config: { rule: '/a/gg' }, message: /rule may have the flags/ },
    { config: { rule: '/x/gx' }, message: /rule may have the flags/ },
    { config: { rule: '/x/G' }, message: /rule may have the flags/ },
    { config: { rule: 'a', redactText: 1 }, message: /redactText/ },
  ],
});
