import {
  asNumber,
  asObject,
  asString,
  compact,
  type Endpoints,
  type Flow,
  type FlowTools,
  GatewayError,
  type Json,
  type JsonObject,
  type Settings,
  unixSeconds,
} from 'portcullis/sdk';
import { contentOf } from './files.ts';
import { jobFlows } from './job-flows.ts';
import { jobName, jobRole, segment } from './jobs.ts';
import { control, folderOf, idOf, objectUrl, type Place, placeOf, uriOf } from './places.ts';

const jobs = '/model-invocation-job';
const job = (settings: Settings, id: string) => control(settings, `${jobs}/${segment(id, 'id')}`);

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_CreateModelInvocationJob.html */
const create: Flow = async ({ facts: { settings }, body }, tools) => {
  const input = placeOf(asString(body.input_file_id) ?? '', 'input_file_id', settings);
  const model =
    asString(body.model) ??
    asString(settings.providerModel) ??
    asString(settings.awsBedrockModel) ??
    (await keptModel(input, settings, tools));
  if (model === undefined) throw new GatewayError('bad_request', 'The batch needs model.', { param: 'model' });
  const folder = input.key.slice(0, input.key.lastIndexOf('/') + 1);
  const output = asString(asObject(body.output_data_config)?.s3_uri) ?? asString(body.output_data_config);
  const s3Uri =
    output === undefined
      ? uriOf({ ...input, key: `${folder}output/` })
      : folderOf(output, 'output_data_config', settings);
  const lists = asString(body.endpoint)?.endsWith('/embeddings') === true;
  const asked = compact({
    jobName: jobName(body.job_name ?? asObject(body.metadata)?.name, tools.newId('batch-')),
    modelId: model,
    roleArn: jobRole(body, settings),
    modelInvocationType: body.model_invocation_type ?? (lists ? 'InvokeModel' : 'Converse'),
    inputDataConfig: { s3InputDataConfig: { s3Uri: uriOf(input), s3InputFormat: 'JSONL' } },
    outputDataConfig: {
      s3OutputDataConfig: compact({ s3Uri, s3EncryptionKeyId: asString(settings.amzServerSideEncryptionAwsKmsKeyId) }),
    },
    timeoutDurationInHours: body.timeout_duration_in_hours,
    tags: tagsOf(body.metadata),
  });
  const { json } = await tools.send({ method: 'POST', url: control(settings, jobs), body: asked });
  const made = { ...asked, jobArn: json.jobArn ?? '', status: 'Submitted', submitTime: tools.nowSeconds() };
  return { status: 200, json: batchOf(made) };
};

/** The model that the file was uploaded for. */
async function keptModel(input: Place, settings: Settings, tools: FlowTools): Promise<string | undefined> {
  const { headers } = await tools.send({ method: 'HEAD', url: objectUrl(input, settings), service: 's3' });
  return headers['x-amz-meta-model'];
}

function tagsOf(metadata: Json | undefined): Json | undefined {
  const tags = Object.entries(asObject(metadata) ?? {}).flatMap(([key, value]) =>
    typeof value === 'string' ? [{ key: key.slice(0, 128), value: value.slice(0, 256) }] : [],
  );
  return tags.length === 0 ? undefined : tags;
}

const states: Readonly<Record<string, string>> = {
  Submitted: 'validating',
  Validating: 'validating',
  Scheduled: 'validating',
  InProgress: 'in_progress',
  Completed: 'completed',
  PartiallyCompleted: 'completed',
  Failed: 'failed',
  Stopping: 'cancelling',
  Stopped: 'cancelled',
  Expired: 'expired',
};

/** A job as a Batch: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_GetModelInvocationJob.html */
function batchOf(json: JsonObject): JsonObject {
  const status = states[asString(json.status) ?? ''] ?? 'validating';
  const ended = unixSeconds(json.endTime) ?? unixSeconds(json.lastModifiedTime) ?? null;
  const at = (wanted: string) => (status === wanted ? ended : null);
  const input = asString(asObject(asObject(json.inputDataConfig)?.s3InputDataConfig)?.s3Uri) ?? '';
  const created = unixSeconds(json.submitTime) ?? 0;
  const output = outputPlace(json);
  const counts = [json.totalRecordCount, json.successRecordCount, json.errorRecordCount].map(
    (count) => asNumber(count) ?? 0,
  );
  return {
    id: idOfJob(json),
    object: 'batch',
    endpoint:
      json.modelInvocationType === 'InvokeModel' && /embed/.test(String(json.modelId))
        ? '/v1/embeddings'
        : '/v1/chat/completions',
    model: asString(json.modelId) ?? null,
    errors:
      json.message === undefined
        ? null
        : { object: 'list', data: [{ code: String(json.status), message: json.message, param: null, line: null }] },
    input_file_id: input === '' ? '' : encodeURIComponent(input),
    completion_window: '24h',
    status,
    output_file_id: status === 'completed' && output !== undefined ? idOf(output) : null,
    error_file_id: null,
    created_at: created,
    in_progress_at: null,
    expires_at: unixSeconds(json.jobExpirationTime) ?? null,
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelled_at: at('cancelled'),
    request_counts: { total: counts[0] ?? 0, completed: counts[1] ?? 0, failed: counts[2] ?? 0 },
    metadata: null,
  };
}

const idOfJob = (json: JsonObject) => (asString(json.jobArn) ?? '').split('/').at(-1) ?? '';

/** Each input file has an output file of its name in a folder of the job's id. */
function outputPlace(json: JsonObject): Place | undefined {
  const folder = asString(asObject(asObject(json.outputDataConfig)?.s3OutputDataConfig)?.s3Uri) ?? '';
  const input = asString(asObject(asObject(json.inputDataConfig)?.s3InputDataConfig)?.s3Uri) ?? '';
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/s.exec(folder) ?? [];
  const name = input.split('/').at(-1);
  if (bucket === undefined || !name) return undefined;
  const inside = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  return { bucket, key: `${inside}${idOfJob(json)}/${name}.out` };
}

const { list, retrieve, cancel } = jobFlows({
  list: '/model-invocation-jobs',
  summaries: 'invocationJobSummaries',
  url: job,
  read: batchOf,
});

const output: Flow = async ({ facts: { settings, params } }, tools) => {
  const id = params.id ?? '';
  const { json } = await tools.send({ method: 'GET', url: job(settings, id) });
  const { status, model } = batchOf(json);
  const place = status === 'completed' ? outputPlace(json) : undefined;
  if (place === undefined) {
    throw new GatewayError('not_found', `The batch ${id} has no output: its status is ${String(status)}.`, {
      param: 'id',
    });
  }
  return {
    status: 200,
    ...(await contentOf(placeOf(uriOf(place), 'id', settings), asString(model) ?? '', settings, tools)),
  };
};

/** Of the window, and of the endpoint but for embeddings, there is nothing to choose. */
const reads = [
  ...['input_file_id', 'endpoint', 'completion_window', 'model', 'metadata', 'output_data_config'],
  ...['job_name', 'role_arn', 'model_invocation_type', 'timeout_duration_in_hours'],
];

export const batches: Endpoints = {
  createBatch: { path: jobs, dialect: 'batches', flow: create, reads },
  listBatches: { method: 'GET', path: jobs, dialect: 'batches', flow: list },
  retrieveBatch: { method: 'GET', path: jobs, dialect: 'batches', flow: retrieve },
  cancelBatch: { path: jobs, dialect: 'batches', flow: cancel },
  getBatchOutput: { method: 'GET', path: jobs, reply: 'bytes', flow: output },
};
