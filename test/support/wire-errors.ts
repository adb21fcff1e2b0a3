import type { JsonObject } from 'portcullis/sdk';
import type { WireDialect } from './recordings.ts';

const openai: Readonly<Record<number, string>> = {
  401: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'server_error',
};
const anthropic: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};
const google: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** An error body as each provider's error reference shows it. */
export function wireError(dialect: WireDialect, status: number, message: string, param?: string): JsonObject {
  switch (dialect) {
    case 'chat':
    case 'responses':
      return { error: { message, type: openai[status] ?? 'invalid_request_error', param: param ?? null, code: null } };
    case 'messages':
      return {
        type: 'error',
        error: { type: anthropic[status] ?? 'api_error', message },
        request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
      };
    case 'gemini':
      return { error: { code: status, message, status: google[status] ?? 'UNKNOWN' } };
  }
}

/** The same error as an event inside a stream that began with status 200. */
export function wireErrorEvent(dialect: WireDialect, status: number, message: string): string {
  const body = wireError(dialect, status, message);
  switch (dialect) {
    case 'chat':
    case 'gemini':
      return `data: ${JSON.stringify(body)}\n\n`;
    case 'messages':
      return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
    case 'responses':
      return `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number: 0, code: 'server_error', message, param: null })}\n\n`;
  }
}
