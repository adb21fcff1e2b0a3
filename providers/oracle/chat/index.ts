import { asObjects, asString, type CallFacts, type EndpointSpec, type JsonObject } from 'portcullis/sdk';
import { placeOf } from '../settings.ts';
import { cohereRequest } from './cohere.ts';
import { cohereV2Request } from './cohere-v2.ts';
import { genericRequest } from './generic.ts';
import { answered } from './reply.ts';

/**
 * Source: https://docs.oracle.com/iaas/api/#/en/generative-ai-inference/latest/ChatResult/Chat and the models of
 * oracle/oci-typescript-sdk. The format goes by the model's name; `api_format` in the request says another, as for
 * dedicated endpoints, whose names tell nothing.
 */
export const chatComplete: EndpointSpec = {
  path: '/actions/chat',
  dialect: 'chat',
  params: { drop: ['store', 'user'] },
  reasoningField: 'reasoning_content',
  streamUsage: 'always',
  finishReasons: {
    COMPLETE: 'stop',
    STOP_SEQUENCE: 'stop',
    ERROR: 'stop',
    USER_CANCEL: 'stop',
    UNKNOWN_VALUE: 'stop',
    MAX_TOKENS: 'length',
    ERROR_LIMIT: 'length',
    TOOL_CALL: 'tool_calls',
    ERROR_TOXIC: 'content_filter',
  },
  request: (body, facts) => ({ ...placeOf(facts), chatRequest: chatRequestOf(body, facts) }),
  repair: answered,
};

function chatRequestOf(body: JsonObject, { model }: CallFacts): JsonObject {
  switch (asString(body.api_format) ?? formatFor(model, body)) {
    case 'COHERE':
      return cohereRequest(body);
    case 'COHEREV2':
      return cohereV2Request(body);
    default:
      return genericRequest(body);
  }
}

/** Of Cohere's models the older know texts alone; pictures need the newer format in any case. */
function formatFor(model: string, body: JsonObject): string {
  if (!model.startsWith('cohere.')) return 'GENERIC';
  const isNewer = /^cohere\.command-a-(vision|reasoning|translate|plus)/.test(model);
  return isNewer || asObjects(body.messages).some(({ content }) => asObjects(content).some(isPicture))
    ? 'COHEREV2'
    : 'COHERE';
}

function isPicture(part: JsonObject): boolean {
  return part.type === 'image_url';
}
