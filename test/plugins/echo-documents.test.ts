import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects } from 'portcullis/sdk';
import { ask, askForm, jsonOf, objectIn, textOf } from './ask-echo.ts';

async function bytesOf(path: string, body: Parameters<typeof ask>[1]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await ask(path, body)).body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('the documents of the echo', () => {
  it('ranks by the words that a document shares with the query', async () => {
    const documents = ['nothing of it', { text: 'The red portcullis' }, 'a portcullis'];
    const reply = await jsonOf('/rerank', { query: 'red portcullis', documents, top_n: 2, return_documents: true });
    assert.deepEqual(reply.results, [
      { index: 1, relevance_score: 1, document: { text: 'The red portcullis' } },
      { index: 2, relevance_score: 0.5, document: { text: 'a portcullis' } },
    ]);
    assert.deepEqual([reply.object, reply.usage], ['list', { search_units: 1 }]);
  });
  it('moderates each text by the names of the categories', async () => {
    const { results } = await jsonOf('/moderations', { input: ['kind words', 'graphic violence'] });
    assert.deepEqual(
      asObjects(results).map(({ flagged, categories }) => [flagged, asObject(categories)?.violence]),
      [
        [false, false],
        [true, true],
      ],
    );
  });
  it('moderates all parts as one', async () => {
    const input = [
      { type: 'text', text: 'some hate' },
      { type: 'image_url', image_url: { url: 'https://a.example/a.png' } },
    ];
    assert.equal(asObjects((await jsonOf('/moderations', { input })).results).length, 1);
  });
  const pages: readonly (readonly [string, string])[] = [
    ['data:text/plain;base64,SGVsbG8=', 'Hello'],
    ['data:text/plain,two%20words', 'two words'],
    ['data:text/plain,100%', '100%'],
    ['https://a.example/a.pdf', 'https://a.example/a.pdf'],
  ];
  for (const [document_url, markdown] of pages) {
    it(`reads ${document_url}`, async () => {
      const reply = await jsonOf('/ocr', { model: 'echo', document: { type: 'document_url', document_url } });
      assert.deepEqual(
        [asObjects(reply.pages)[0]?.markdown, asObject(reply.usage_info)?.pages_processed],
        [markdown, 1],
      );
    });
  }
  it('draws as many pictures as are asked for', async () => {
    const { data, usage } = await jsonOf('/images/generations', { prompt: 'a gate', n: 2 });
    const png = Buffer.from(String(asObjects(data)[1]?.b64_json), 'base64');
    assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
    assert.equal(asObject(usage)?.output_tokens, 2);
  });
  it('streams a picture, and edits one of a form', async () => {
    const stream = await textOf(await ask('/images/generations', { prompt: 'a gate', stream: true }));
    assert.match(stream, /^event: image_generation\.partial_image\n[\s\S]*event: image_generation\.completed\n/);
    const edited = await askForm('/images/edits', { prompt: 'a gate', response_format: 'url' }, { image: 'x' });
    assert.match(String(asObjects((await objectIn(edited)).data)[0]?.url), /^data:image\/png;base64,/);
  });
  it('speaks silence', async () => {
    const sound = await bytesOf('/audio/speech', { model: 'echo', input: 'Hello', voice: 'a' });
    assert.deepEqual([sound.subarray(0, 4).toString(), sound.readUInt32LE(4) + 8], ['RIFF', sound.length]);
    const stream = await textOf(await ask('/audio/speech', { input: 'Hello', stream_format: 'sse' }));
    assert.match(stream, /event: speech\.audio\.done/);
  });
  const heard: readonly (readonly [string, RegExp])[] = [
    ['json', /^\{"text":"Hello there"/],
    ['text', /^Hello there\n$/],
    ['srt', /^1\n00:00:00,000 --> 00:00:02,000\nHello there\n\n$/],
    ['vtt', /^WEBVTT\n\n00:00:00\.000 --> 00:00:02\.000\nHello there\n\n$/],
    ['verbose_json', /"duration":2,"text":"Hello there","segments":\[/],
  ];
  for (const [response_format, expected] of heard) {
    it(`hears the text of a file as ${response_format}`, async () => {
      const reply = await askForm('/audio/transcriptions', { model: 'echo', response_format }, { file: 'Hello there' });
      assert.match(await textOf(reply), expected);
    });
  }
  it('hears how large any other file is, and streams what it hears', async () => {
    const reply = await askForm('/audio/translations', { model: 'echo', stream: 'true' }, { file: '\0\0' });
    assert.match(await textOf(reply), /transcript\.text\.delta[\s\S]*"text":"A sound of 2 bytes\."/);
  });
  const refused: readonly (readonly [string, Parameters<typeof ask>[1]])[] = [
    ['/rerank', { query: 'a' }],
    ['/moderations', {}],
    ['/ocr', { document: {} }],
    ['/images/generations', { prompt: 'a', n: 11 }],
    ['/audio/speech', { input: '' }],
    ['/audio/transcriptions', { model: 'echo' }],
  ];
  for (const [path, body] of refused) {
    it(`refuses what ${path} cannot do`, async () => assert.equal((await ask(path, body)).status, 400));
  }
  it('fails as the model name says, also for forms', async () => {
    assert.equal((await ask('/rerank', { model: 'echo-status-503', query: 'a', documents: ['a'] })).status, 503);
    assert.equal((await askForm('/audio/transcriptions', { model: 'echo-status-429' }, { file: 'a' })).status, 429);
  });
  it('knows each model that it understands', async () => {
    assert.equal((await jsonOf('/models/echo-delay-5%2Bthink')).id, 'echo-delay-5+think');
    assert.equal((await ask('/models/echo-nonsense', undefined)).status, 404);
  });
});
