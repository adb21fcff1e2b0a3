import type { ControlHost, Operation } from 'portcullis/sdk';

/** Credentials made by an operation, for its own reply and nothing else. */
const made = new WeakMap<Operation, string>();

/** Makes a credential: gives what is stored of it. What it is, only the reply of this operation tells. */
export function newCredential(host: Pick<ControlHost, 'randomText'>, operation: Operation) {
  const secret = host.randomText(48);
  made.set(operation, secret);
  return {
    stored_secret: operation.digest(secret),
    masked_client_auth: `${secret.slice(0, 2)}*****${secret.slice(-3)}`,
  };
}

/** The credential that this operation made. */
export function credentialOf(operation: Operation): string | undefined {
  return made.get(operation);
}
