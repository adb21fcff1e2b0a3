import {
  asNumber,
  asObject,
  asObjects,
  asString,
  type Endpoints,
  type JsonObject,
  type ReplyFacts,
  unixSeconds,
} from 'portcullis/sdk';
import { askedModel, jobOf } from './job.ts';

const models = '/v1/finetuning/finetuned-models';

/** The reply that holds one model, or several, as a job or a list of them. */
function jobsIn(json: JsonObject): JsonObject {
  const model = asObject(json.finetuned_model);
  if (model !== undefined) return jobOf(model);
  if (!Array.isArray(json.finetuned_models)) return json;
  return listOf(asObjects(json.finetuned_models).map(jobOf), json);
}

function listOf(data: readonly JsonObject[], json: JsonObject): JsonObject {
  return { object: 'list', data, has_more: Boolean(json.next_page_token) };
}

/** https://docs.cohere.com/reference/listevents */
function eventsIn(json: JsonObject, { facts }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.events)) return json;
  const events = asObjects(json.events).map((event) => {
    const at = unixSeconds(event.created_at) ?? 0;
    const status = asString(event.status) ?? '';
    return {
      object: 'fine_tuning.job.event',
      id: `ftevent-${facts.params.id ?? ''}-${status}-${at}`,
      created_at: at,
      level: status === 'STATUS_FAILED' ? 'error' : 'info',
      message: status,
      type: 'message',
    };
  });
  return listOf(events, json);
}

/** https://docs.cohere.com/reference/listtrainingstepmetrics */
function checkpointsIn(json: JsonObject, { facts }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.step_metrics)) return json;
  const id = facts.params.id ?? '';
  const steps = asObjects(json.step_metrics).map((step) => {
    const number = asNumber(step.step_number) ?? 0;
    return {
      object: 'fine_tuning.job.checkpoint',
      id: `ftckpt-${id}-${number}`,
      created_at: unixSeconds(step.created_at) ?? 0,
      fine_tuning_job_id: id,
      fine_tuned_model_checkpoint: `${id}-ft`,
      step_number: number,
      metrics: { step: number, ...asObject(step.metrics) },
    };
  });
  return listOf(steps, json);
}

/**
 * Fine-tuned models as jobs. The provider calls this interface deprecated; it has nothing that stops a job.
 * Source: https://docs.cohere.com/reference/listfinetunedmodels and its neighbours.
 */
export const tuningEndpoints: Endpoints = {
  createFinetune: { path: models, dialect: 'fine-tuning', request: askedModel, repair: jobsIn },
  listFinetunes: { method: 'GET', path: models, dialect: 'fine-tuning', query: false, repair: jobsIn },
  retrieveFinetune: { method: 'GET', path: `${models}/{id}`, dialect: 'fine-tuning', query: false, repair: jobsIn },
  listFinetuneEvents: {
    method: 'GET',
    path: `${models}/{id}/events`,
    dialect: 'fine-tuning',
    query: false,
    repair: eventsIn,
  },
  listFinetuneCheckpoints: {
    method: 'GET',
    path: `${models}/{id}/training-step-metrics`,
    dialect: 'fine-tuning',
    query: false,
    repair: checkpointsIn,
  },
};
