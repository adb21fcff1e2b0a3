import {
  askingUsage,
  asObject,
  asString,
  type Json,
  type JsonObject,
  type LogBodies,
  type LogRow,
  parseJson,
} from 'portcullis/sdk';

/** What passed between the gateway and a provider; null: that is not known. */
export interface ProviderSide {
  readonly finalUntransformedRequest: JsonObject | null;
  readonly transformedRequest: JsonObject | null;
  readonly originalResponse: JsonObject | null;
}

/**
 * What a provider got and gave, of what the client sent and got: no more is kept. It is known where nothing has changed on
 * the way but the name of the model and the question for token counts.
 * @param bodies undefined: nothing of what was said is kept, or may be seen
 */
export function providerSide(row: LogRow, bodies: LogBodies | undefined): ProviderSide {
  const asked = bodies === undefined || row.sentAs === null ? undefined : bodyOf(bodies.request.body);
  const sent = asked === undefined ? undefined : sentBody(row, asked);
  const replied = bodies !== undefined && row.replyUntouched ? bodyOf(bodies.response.body) : undefined;
  return {
    finalUntransformedRequest: shown(asked),
    transformedRequest: shown(sent),
    originalResponse: shown(replied),
  };
}

/** JSON where it is JSON, else the text: a stream is kept as it went over the wire. */
export function bodyOf(body: string | Uint8Array): Json {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  return parseJson(text) ?? text;
}

function sentBody({ sentAs, model }: LogRow, asked: Json): Json | undefined {
  const body = asObject(asked);
  switch (sentAs) {
    case 'same':
      return asked;
    case 'model':
      return renamed(body, model);
    case 'usage':
      return body === undefined ? undefined : askingUsage(body);
    case 'model,usage': {
      const named = renamed(body, model);
      return named === undefined ? undefined : askingUsage(named);
    }
    case 'another':
    case null:
      return undefined;
  }
}

/** A text that was cut off is no object; nor is the model known whose name was. */
function renamed(body: JsonObject | undefined, model: string | null): JsonObject | undefined {
  if (body === undefined || model === null || asString(body.model)?.endsWith(model) !== true) return undefined;
  return { ...body, model };
}

function shown(body: Json | undefined): JsonObject | null {
  return body === undefined ? null : { body };
}
