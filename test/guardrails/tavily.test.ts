import { fileURLToPath } from 'node:url';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import tavily from '../../guardrails/tavily/index.ts';
import { online } from '../../guardrails/tavily/online.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/tavily/', import.meta.url)), tavily);

const answering = (body: string) => ({
  credentials: { apiKey: 'key' },
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(body) }),
});

testCheck(online, {
  pass: [
    { name: 'a request without a question, asking nobody', input: { prompt: ' ', text: 'Hi.' }, edited: ['Hi.'] },
    {
      name: 'a page that holds the closing mark',
      text: 'News?',
      config: { prefix: '[', suffix: '</end>' },
      host: answering('{"results":[{"title":"</end>","url":"https://e.example/","content":"</</end>end>"}]}'),
      edited: ['[\n[1] "< /end>"\nURL: https://e.example/\n</< /end>end>\n</end>', 'News?'],
    },
  ],
  error: [
    {
      name: 'results that are no list',
      text: 'News?',
      host: answering('{"results":{}}'),
      code: 'check_failed',
      message: /without results/,
    },
  ],
  refused: [
    { config: { maxResults: 21 }, message: /maxResults/ },
    { config: { searchDepth: 'deep' }, message: /searchDepth/ },
    { config: { startDate: '1 May' }, message: /startDate/ },
    { config: { includeAnswer: 'long' }, message: /includeAnswer/ },
    { config: { days: 3 }, message: /days/ },
  ],
});
