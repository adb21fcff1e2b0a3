import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Usage } from '../neutral.ts';
import { writeUsage } from './usage.ts';

/** What the gateway knows of an answer, finished or not. */
export interface ResponseState {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly output: readonly JsonObject[];
  readonly usage?: Usage | undefined;
  readonly error?: JsonObject | undefined;
  readonly incomplete?: string | undefined;
  readonly serviceTier?: string | undefined;
}

/** Fields of the request that a response repeats, with the documented defaults. */
const defaults: JsonObject = {
  access_programs: null,
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

export const echoed: readonly string[] = [...Object.keys(defaults), 'reasoning', 'text', 'conversation', 'prompt'];

/** A whole response object as the official clients read it. */
export function responseObject(state: ResponseState, context: ReplyContext): JsonObject {
  const { request } = context;
  const format: Json = { type: 'text' };
  return {
    id: state.id,
    object: 'response',
    created_at: state.created,
    completed_at: state.status === 'completed' ? Math.max(context.nowSeconds(), state.created) : null,
    status: state.status,
    error: state.error ?? null,
    incomplete_details: state.incomplete === undefined ? null : { reason: state.incomplete },
    model: state.model,
    output: state.output,
    ...Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, request[key] ?? value])),
    ...(state.serviceTier === undefined ? {} : { service_tier: state.serviceTier }),
    reasoning: { effort: null, summary: null, ...asObject(request.reasoning) },
    text: { format, verbosity: 'medium', ...asObject(request.text) },
    usage: state.usage === undefined ? null : writeUsage(state.usage),
  };
}

/** Ids of this format are kept; any other is replaced. */
export function responseId(id: string, context: ReplyContext): string {
  return id.startsWith('resp_') ? id : context.newId('resp_');
}

export function createdAt(created: number | undefined, context: ReplyContext): number {
  return asNumber(created) ?? context.nowSeconds();
}
