import { SecretFault } from '../fault.ts';
import { awsSecretsManager } from './aws.ts';
import { azureKeyVault } from './azure.ts';
import type { Place, Reach } from './reach.ts';
import { hashicorpVault } from './vault.ts';

export const managerNames = ['aws_sm', 'azure_kv', 'hashicorp_vault'] as const;
export type ManagerName = (typeof managerNames)[number];

/** Reads the whole text of a secret. @throws SecretFault */
export type ReadSecret = (manager: string, place: Place) => Promise<string>;

/** The clients of all managers, with the tokens that they hold. */
export function secretReader(reach: Reach): ReadSecret {
  const clients: Readonly<Record<ManagerName, (place: Place) => Promise<string>>> = {
    aws_sm: awsSecretsManager(reach),
    azure_kv: azureKeyVault(reach),
    hashicorp_vault: hashicorpVault(reach),
  };
  return (manager, place) => {
    if (!Object.hasOwn(clients, manager)) throw new SecretFault('broken');
    return clients[manager as ManagerName](place);
  };
}
