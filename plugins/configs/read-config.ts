import { asObject, type ControlHost, GatewayError, type Json, type JsonObject, parseJson } from 'portcullis/sdk';

const longest = 1_048_576;

/**
 * The routing config of a body: an object, or one as JSON text. What the data plane would refuse is refused here.
 * @throws GatewayError `bad_request`, `param` the path of the field: `config.strategy.mode`
 */
export function readConfig(given: Json, host: Pick<ControlHost, 'checkConfig'>): JsonObject {
  const config = asObject(typeof given === 'string' ? parseJson(given) : given);
  if (config === undefined) {
    throw new GatewayError('bad_request', 'config must be a JSON object, or the text of one.', { param: 'config' });
  }
  if (JSON.stringify(config).length > longest) {
    throw new GatewayError('bad_request', `config must have at most ${longest} characters as JSON.`, {
      param: 'config',
    });
  }
  try {
    host.checkConfig(config);
  } catch (cause) {
    if (!GatewayError.is(cause)) throw cause;
    throw new GatewayError('bad_request', cause.message, { param: within(cause.param), cause });
  }
  return config;
}

function within(param: string | undefined): string {
  if (param === undefined || param === '') return 'config';
  return /^config($|[.[])/.test(param) ? param : `config.${param}`;
}
