import { compact, type JsonObject, type LogFields } from 'portcullis/sdk';

export interface LoggedEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: JsonObject;
}

/** A recording log for whatever takes one. */
export function recordingLog(logged: LoggedEvent[] = []) {
  const at =
    (level: LoggedEvent['level']) =>
    (event: string, fields: LogFields = {}) => {
      logged.push({ level, event, fields: compact(fields) });
    };
  return { logged, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}
