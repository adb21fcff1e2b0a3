/** Why a secret could not be had, as people may know it: neither its path nor any value is in it. */
export const faultSentences = {
  denied: 'The secret manager denied access.',
  missing: 'The secret manager has no such secret.',
  member_missing: 'The secret has no such member, or is no JSON object.',
  malformed: 'The secret is not of the form that is asked for.',
  refused: 'The secret manager refused the request.',
  unreachable: 'The secret manager could not be reached in time.',
  broken: 'The secret manager answered with a fault, or not as its protocol says.',
  blocked: 'The address of the secret manager is one that the gateway does not call: see TRUSTED_CUSTOM_HOSTS.',
  not_allowed: 'The operator does not let the gateway show its own identity there.',
  not_configured: 'The gateway has no identity of its own for this kind of access.',
} as const;

export type FaultKind = keyof typeof faultSentences;

export class SecretFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, cause?: unknown) {
    super(faultSentences[kind], cause === undefined ? undefined : { cause });
    this.name = 'SecretFault';
    this.kind = kind;
  }
}

/** What was thrown, as a fault: something unforeseen is the manager's fault until proven otherwise. */
export function faultOf(thrown: unknown): SecretFault {
  return thrown instanceof SecretFault ? thrown : new SecretFault('broken', thrown);
}
