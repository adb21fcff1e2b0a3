import {
  type Action,
  asArray,
  asNumber,
  asObject,
  asString,
  type ControlHost,
  type FeedbackRow,
  field,
  GatewayError,
  type Json,
  type JsonObject,
  schema,
} from 'portcullis/sdk';
import { workspaceOf } from './own-workspace.ts';

const most = 1000;

const reply = schema.Object({
  status: field.oneOf(['success']),
  message: field.text(),
  feedback_ids: schema.Array(field.id()),
});

const fields = {
  value: schema.Optional(schema.Integer({ minimum: -10, maximum: 10, description: 'Required.' })),
  weight: schema.Optional(schema.Number({ minimum: 0, maximum: 1, description: 'Default 1.' })),
  metadata: schema.Optional(field.object()),
};

const common = {
  needs: ['logs.write'],
  in: 'workspace',
  reply,
  // As with logs: these are of requests, and no change of what is administered.
  audited: false,
  transaction: false,
} as const satisfies Partial<Action>;

/** `POST /feedback` and `PUT /feedback/{id}`: what people think of the requests of a trace. */
export function feedbackActions(host: ControlHost): readonly Action[] {
  return [
    {
      ...common,
      method: 'post',
      path: '/feedback',
      summary: 'Gives feedback on a trace',
      list: 'feedback',
      body: schema.Object({
        trace_id: schema.Optional(field.text({ max: 128 })),
        traceID: schema.Optional(field.text({ max: 128, description: 'As trace_id.' })),
        ...fields,
        feedback: schema.Optional(field.list(field.object(), { maxItems: most })),
      }),
      async run(operation) {
        const workspaceId = workspaceOf(operation, 'logs.write');
        const { organisationId } = operation.scope;
        const givenBy = operation.access.userId ?? operation.access.keyId ?? null;
        const rows = readFeedback(operation.body).map((given) => ({
          id: operation.newId(),
          organisationId,
          workspaceId,
          createdAt: operation.now,
          givenBy,
          ...given,
        }));
        host.logs.feedback(rows);
        // Whoever has its id may change it, in any process.
        await host.logs.caughtUp();
        return success('Feedback has been saved.', rows);
      },
    },
    {
      ...common,
      method: 'put',
      path: '/feedback/:id',
      summary: 'Changes a feedback',
      body: schema.Object(fields),
      async run(operation) {
        const workspaceId = workspaceOf(operation, 'logs.write');
        const { params, body, scope } = operation;
        const id = params.id ?? '';
        const changes = {
          value: gradeOf(body.value, 'value'),
          ...(body.weight === undefined ? {} : { weight: weightOf(body.weight, 'weight') }),
          ...(body.metadata === undefined ? {} : { metadata: metadataOf(body.metadata, 'metadata') }),
        };
        const { organisationId } = scope;
        if (await host.logs.updateFeedback({ organisationId, workspaceId }, id, changes))
          return success('Feedback has been changed.', [{ id }]);
        throw new GatewayError('not_found', `There is no feedback with the id "${id.slice(0, 100)}".`, { param: 'id' });
      },
    },
  ];
}

function success(message: string, rows: readonly { readonly id: string }[]): JsonObject {
  return { status: 'success', message, feedback_ids: rows.map(({ id }) => id) };
}

type Given = Pick<FeedbackRow, 'traceId' | 'value' | 'weight' | 'metadata'>;

function readFeedback(body: JsonObject): readonly Given[] {
  if (body.feedback === undefined) return [readOne(body, '')];
  const list = asArray(body.feedback);
  if (list.length === 0 || list.length > most) throw refusal('feedback', `must be a list of 1 to ${most} entries`);
  return list.map((entry, index) => readOne(asObject(entry) ?? {}, `[${index}].`));
}

function readOne(given: JsonObject, at: string): Given {
  const traceId = asString(given.trace_id) ?? asString(given.traceID) ?? '';
  if (traceId === '' || traceId.length > 128) throw refusal(`${at}trace_id`, 'is required: up to 128 characters');
  return {
    traceId,
    value: gradeOf(given.value, `${at}value`),
    weight: given.weight === undefined || given.weight === null ? 1 : weightOf(given.weight, `${at}weight`),
    metadata: metadataOf(given.metadata, `${at}metadata`),
  };
}

function gradeOf(value: Json | undefined, param: string): number {
  const number = asNumber(value);
  if (number !== undefined && Number.isInteger(number) && number >= -10 && number <= 10) return number;
  throw refusal(param, 'is required: an integer from -10 to 10');
}

function weightOf(value: Json, param: string): number {
  const number = asNumber(value);
  if (number !== undefined && number >= 0 && number <= 1) return number;
  throw refusal(param, 'must be a number from 0 to 1');
}

function metadataOf(value: Json | undefined, param: string): Given['metadata'] {
  if (value === undefined || value === null) return {};
  const object = asObject(value);
  if (object === undefined) throw refusal(param, 'must be an object');
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [
      name,
      typeof member === 'string' ? member : JSON.stringify(member),
    ]),
  );
}

function refusal(param: string, why: string): GatewayError {
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}
