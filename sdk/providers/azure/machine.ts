import type { AuthTools, MachineIdentity } from '../../contracts/auth.ts';
import { GatewayError } from '../../errors.ts';

/** The identity of the machine that a mode spends. @throws GatewayError `not_available` where these settings may not */
export function machineOf({ machine }: AuthTools, mode: string): MachineIdentity {
  if (machine !== undefined) return machine;
  throw new GatewayError(
    'not_available',
    `The Azure auth mode ${mode} spends the identity of the machine that the gateway runs on, which is its operator's to lend: MACHINE_IDENTITY (server.machine_identity) must be "operator" for providers of the operator's file, or "all" for saved ones too. It works neither with a custom host nor with settings that come with the request.`,
    { param: 'azure_auth_mode' },
  );
}
