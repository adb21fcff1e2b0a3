import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { asObject, asObjects, asString, type JsonObject } from 'portcullis/sdk';
import { replyOf, route, routesOf } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain, type RecordedWorld } from '../support/recorded-routes/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';

noUnhandledRejections();

const lines = `${JSON.stringify({
  custom_id: 'request-1',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] },
})}\n`;
const one = (name: string) => asObject(replyOf('openai', name)) ?? assert.fail(name);
const [file, job] = [one('file-get'), one('finetune-get')];
const page = (has_more: boolean, ...data: JsonObject[]): JsonObject => ({ object: 'list', data, has_more });
const job1 = 'ftjob-abc123';

/** https://platform.openai.com/docs/api-reference/uploads/create */
const upload = {
  id: 'upload_1',
  object: 'upload',
  bytes: 10,
  created_at: 1719184911,
  filename: 'big.jsonl',
  purpose: 'batch',
  status: 'pending',
  expires_at: 1719127296,
};

const routes = [
  route('POST', '/v1/uploads', upload, {
    body: { purpose: 'batch', filename: 'big.jsonl', bytes: 10, mime_type: 'text/jsonl' },
  }),
  ...routesOf('openai', ['file-upload', 'file-get', 'file-delete', 'file-content', 'file-error']),
  route('GET', '/v1/files?purpose=batch&limit=1', page(true, file)),
  route('GET', '/v1/files?purpose=batch&limit=1&after=file-abc123', page(false, { ...file, id: 'file-2' })),
  ...routesOf('openai', ['batch-create', 'batch-get', 'batch-cancel', 'batch-list']),
  ...routesOf('openai', ['finetune-create', 'finetune-get', 'finetune-cancel', 'finetune-checkpoints']),
  ...routesOf('openai', ['finetune-list', 'finetune-events']),
  route('GET', `/v1/fine_tuning/jobs?limit=2&after=${job1}`, page(false, { ...job, id: 'ftjob-2' })),
];

/** What the client gets by each call; the name is that of the fixture that holds the answer. */
const calls: Readonly<Record<string, (client: OpenAI) => Promise<unknown>>> = {
  'file-upload': async ({ files }) =>
    files.create({
      purpose: 'batch',
      file: await toFile(Buffer.from(lines), 'mydata.jsonl', { type: 'application/jsonl' }),
    }),
  'file-get': ({ files }) => files.retrieve('file-abc123'),
  'file-delete': ({ files }) => files.delete('file-abc123'),
  'file-content': async ({ files }) => (await files.content('file-abc123')).text(),
  'batch-create': ({ batches }) =>
    batches.create({ input_file_id: 'file-abc123', endpoint: '/v1/chat/completions', completion_window: '24h' }),
  'batch-get': ({ batches }) => batches.retrieve('batch_abc123'),
  'batch-cancel': ({ batches }) => batches.cancel('batch_abc123'),
  'finetune-create': ({ fineTuning }) =>
    fineTuning.jobs.create({
      training_file: 'file-abc123',
      model: 'gpt-4o-mini',
      integrations: [{ type: 'wandb', wandb: { project: 'my-wandb-project' } }],
    }),
  'finetune-get': ({ fineTuning }) => fineTuning.jobs.retrieve(job1),
  'finetune-cancel': ({ fineTuning }) => fineTuning.jobs.cancel(job1),
};

describe('the openai SDK, with files and jobs', () => {
  const scope = suiteScope();
  let world: RecordedWorld;
  let client: OpenAI;
  before(async () => {
    world = await openRecorded(scope, { openai: routes });
    client = world.gateway.openai();
  });

  for (const [name, call] of Object.entries(calls)) {
    it(`gets the recorded ${name}`, async () => {
      assert.deepEqual(plain(await call(client)), replyOf('openai', name));
    });
  }

  it('turns the pages of lists', async () => {
    const files = await Array.fromAsync(client.files.list({ purpose: 'batch', limit: 1 }));
    const jobs = await Array.fromAsync(client.fineTuning.jobs.list({ limit: 2 }));
    const batches = await Array.fromAsync(client.batches.list({ limit: 2 }));
    assert.deepEqual(plain(files), [file, { ...file, id: 'file-2' }]);
    assert.deepEqual(
      jobs.map(({ id }) => id),
      [job1, 'ftjob-2'],
    );
    assert.deepEqual(plain(batches), one('batch-list').data);
  });

  it('reads what happens in a job', async () => {
    const events = await client.fineTuning.jobs.listEvents(job1, { limit: 1 });
    assert.deepEqual(plain(events.data), one('finetune-events').data);
    const checkpoints = await Array.fromAsync(client.fineTuning.jobs.checkpoints.list(job1));
    assert.deepEqual(plain(checkpoints), one('finetune-checkpoints').data);
    assert.equal(asString(asObjects(one('finetune-checkpoints').data)[0]?.fine_tuning_job_id), job1);
  });

  it('uploads in parts, for which there is no route', async () => {
    const asked = { purpose: 'batch', filename: 'big.jsonl', bytes: 10, mime_type: 'text/jsonl' } as const;
    const named = world.gateway.openai({ 'x-gw-provider': '@openai' });
    assert.deepEqual(plain(await named.uploads.create(asked)), upload);
    await assert.rejects(client.uploads.create(asked), OpenAI.NotFoundError);
  });

  it('gets errors of the class that their status has', async () => {
    await assert.rejects(client.files.retrieve('file-none'), OpenAI.NotFoundError);
    const unknown = world.gateway.openai({ 'x-gw-provider': '@nobody' });
    await assert.rejects(
      unknown.files.retrieve('file-abc123'),
      (error) => error instanceof OpenAI.APIError && error.status === 400,
    );
  });
});
