import { readFile } from 'node:fs/promises';
import { GatewayError, type MachineIdentity, type TokenRequest } from 'portcullis/sdk';
import { Agent, request } from 'undici';

/** Where platforms tell a program who it is: link-local services, and agents beside it. */
const places: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  'localhost',
  '127.0.0.1',
  '[::1]',
]);

const timeoutMs = 5_000;
const mostBytes = 256 * 1024;

/** The identity of the machine. It has connections of its own: the URL guard lets nobody else to these addresses. */
export function createMachineIdentity(
  env: (name: string) => string | undefined,
): MachineIdentity & { close(): Promise<void> } {
  let agent: Agent | undefined;
  return {
    env,
    readFile: (path) => readFile(path, 'utf8'),
    send: (wanted) => {
      agent ??= new Agent({ connect: { timeout: timeoutMs }, maxResponseSize: mostBytes });
      return sendTo(agent, wanted);
    },
    close: async () => agent?.destroy(),
  };
}

async function sendTo(dispatcher: Agent, { url, method, headers, form }: TokenRequest) {
  if (!places.has(new URL(url).hostname)) {
    throw new GatewayError('url_blocked', 'This is no address at which a platform tells identities.');
  }
  const body = form === undefined ? null : new URLSearchParams(form).toString();
  const type = body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  try {
    const reply = await request(url, {
      dispatcher,
      method,
      headers: { ...headers, ...type },
      body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return { status: reply.statusCode, body: await reply.body.text() };
  } catch (cause) {
    throw new GatewayError('upstream_unreachable', 'The identity service of this machine gives no answer.', { cause });
  }
}
