import { GatewayError } from 'portcullis/sdk';

/** A fault of the config: `param` is the path of the field in the caller's own terms, `strategy.mode`. */
export function configFault(param: string, message: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_config', message, {
    param: clip(param, 200),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Names in messages come from the caller, so their length is bounded. */
export function clip(text: string, length = 60): string {
  return text.length <= length ? text : `${text.slice(0, length)}...`;
}

/** The path of a field of a node: `config` and `retry` give `retry`; `config.targets[0]` gives `targets[0].retry`. */
export function paramOf(path: string, key: string): string {
  return path === 'config' ? key : `${path.slice('config.'.length)}.${key}`;
}
