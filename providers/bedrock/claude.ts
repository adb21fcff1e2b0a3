import {
  asObject,
  asString,
  bounded,
  compact,
  dialects,
  type Endpoints,
  type Frame,
  type GenerationDialect,
  type JsonObject,
  omit,
  parseJson,
  type Settings,
} from 'portcullis/sdk';
import { betasOf } from './betas.ts';
import { named } from './errors.ts';
import { ofModel } from './names.ts';

const version = 'bedrock-2023-05-31';
const inPath: ReadonlySet<string> = new Set(['model', 'stream']);

const { messages, converse } = dialects;

/**
 * The messages format inside `InvokeModel`: the same bodies; a stream comes as event-stream messages of the type `chunk`,
 * each with one event of the format in base64, and its failures as exceptions of the platform.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
 */
export const invokedMessages: GenerationDialect<'invoked-messages'> = bounded({
  ...messages,
  name: 'invoked-messages',
  framing: 'event-stream',
  // What of a stream is in base64 cannot be searched for.
  streamEnds: [],
  exceptionIn: (frame) => converse.exceptionIn?.(frame),
  eventIn: (message) => asObject(parseJson(packedIn(message) ?? '')) ?? message,
  faultOf: (json, status) => (json.__type === undefined ? messages : converse).faultOf(json, status),
  decodeStream(context) {
    const inner = messages.decodeStream(context);
    const failures = converse.decodeStream(context);
    return {
      meter: inner.meter,
      push: (frame) => (frame.kind === 'exception' ? failures.push(frame) : inner.push(unpacked(frame))),
      end: () => inner.end(),
    };
  },
});

function unpacked(frame: Frame): Frame {
  return { data: packedIn(asObject(parseJson(frame.data))) ?? frame.data };
}

/** The event that a message of the type `chunk` holds. */
function packedIn(json: JsonObject | undefined): string | undefined {
  const bytes = asString(json?.bytes);
  return bytes === undefined ? undefined : Buffer.from(bytes, 'base64').toString('utf8');
}

/** The body of a message as the platform takes it: model and stream are in the path. */
export function messageBody(body: JsonObject, settings: Settings): JsonObject {
  const anthropic_beta = betasOf(body.anthropic_beta, settings);
  return compact({ anthropic_version: version, ...omit(body, inPath), anthropic_beta });
}

/** Messages of Claude; what they ask passes as it is. Chat requests and responses go by Converse, as those of all models. */
export const claude: Endpoints = {
  messages: {
    path: ofModel('invoke'),
    streamPath: ofModel('invoke-with-response-stream'),
    dialect: invokedMessages,
    accept: 'application/json',
    request: (body, { settings }) => messageBody(body, settings),
    repair: named,
  },
};
