import { readFile } from 'node:fs/promises';
import { asObject, asString, GatewayError, type JsonObject, parseJson } from 'portcullis/sdk';
import type { ExplainRequest } from '../explain.ts';
import { createGateway } from '../gateway.ts';
import { silentLog } from '../log.ts';
import type { Arguments, Console } from './command.ts';
import { loadConfig } from './operator.ts';

/** Prints what would happen to the request in a file: `{ method?, path?, headers?, body }`, or just a chat body. */
export async function explain({ config, request }: Arguments, out: Console): Promise<number> {
  if (request === undefined)
    throw new GatewayError('bad_request', 'Name the request: portcullis explain --request FILE.', { param: 'request' });
  const asked = requestOf(await contentOf(request), request);
  const loaded = await loadConfig(config);
  const gateway = await createGateway(loaded.config, { log: silentLog });
  try {
    const report = await gateway.explain(asked);
    out.print(JSON.stringify(report, null, 2));
    return report.error === undefined ? 0 : 1;
  } finally {
    await gateway.close();
  }
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new GatewayError('bad_request', `The file ${file} cannot be read.`, { param: 'request', cause });
  }
}

function requestOf(content: string, file: string): ExplainRequest {
  const json = asObject(parseJson(content));
  if (json === undefined)
    throw new GatewayError('bad_request', `The file ${file} does not hold a JSON object.`, { param: 'request' });
  if (json.messages !== undefined && json.body === undefined) return { body: json };
  const { method, path } = { method: asString(json.method), path: asString(json.path) };
  return {
    ...(method === undefined ? {} : { method }),
    ...(path === undefined ? {} : { path }),
    headers: stringsOf(asObject(json.headers)),
    ...(asObject(json.body) === undefined ? {} : { body: asObject(json.body) as JsonObject }),
  };
}

function stringsOf(object: JsonObject | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object ?? {}).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}
