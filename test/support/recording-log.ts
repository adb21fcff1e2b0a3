import { compact, type JsonObject, type LogFields, type PluginLog } from 'portcullis/sdk';

export interface LoggedEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: JsonObject;
}

/** A recording log for whatever takes one. */
export function recordingLog(logged: LoggedEvent[] = []) {
  return { logged, log: logWith(logged, {}) };
}

function logWith(logged: LoggedEvent[], own: LogFields): PluginLog {
  const at =
    (level: LoggedEvent['level']) =>
    (event: string, fields: LogFields = {}) => {
      logged.push({ level, event, fields: compact({ ...own, ...fields }) });
    };
  const child = (more: LogFields) => logWith(logged, { ...own, ...more });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child };
}
